"""What would curing diseases remove, one at a time and together?"""

import hickam
from hickam.advise.what_if import cure, smallest_cure

network = hickam.load("clinic")
case = hickam.Case(present=["cough", "fever", "headache"], sex="female", age=30)

dx = hickam.diagnose(network, case, top=3)
for candidate in dx:
    print(
        f"curing {candidate.name}: {cure(network, case, [candidate.disease]).expected:.2f} findings"
    )

first, second = dx[0].disease, dx[1].disease
both = cure(network, case, [first, second])
print(f"curing {first} and {second} together: {both.expected:.2f}")

enough = smallest_cure(network, case, at_least=1.5)
print("to be rid of 1.5 findings, cure:", enough.diseases if enough else "no set is enough")
