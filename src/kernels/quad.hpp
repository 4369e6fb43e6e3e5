// Four doubles at once, wherever in an array of doubles they begin.
#pragma once

namespace hickam {

// `using` would not do: Clang ignores the alignment there and reads with aligned instructions.
typedef double Quad __attribute__((vector_size(32), aligned(8), may_alias));
static_assert(alignof(Quad) == alignof(double), "a quad may begin at any double");

}  // namespace hickam
