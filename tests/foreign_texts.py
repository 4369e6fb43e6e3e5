"""One small network in every foreign format, for tests and fuzzing."""

BIF = """network asia { property "made by hand"; }
variable smoke { type discrete [ 2 ] { yes, no }; property position = (1, 2); }
variable lung { type discrete [2] {yes, no}; }
variable size { type discrete [3] { none, "under 2 cm", >2 }; }
probability ( smoke ) { table 0.3, 0.7; }
probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
probability ( size | lung, smoke ) {
  default 1.0, 0.0, 0.0;  // no tumour
  (yes, yes) 0.1, 0.3, 0.6;
  (yes, no) 0.2, 0.4, 0.4;
}
"""
UAI = """BAYES
3
2 2 3
3
1 0
2 0 1
3 1 0 2

2
 0.3 0.7
4
 0.1 0.9
 0.01 0.99
12
 0.1 0.3 0.6   0.2 0.4 0.4
 1 0 0   1 0 0
"""
XMLBIF = """<?xml version="1.0"?>
<!DOCTYPE BIF [ <!ELEMENT BIF (NETWORK)*> ]>
<BIF VERSION="0.3"><NETWORK><NAME>asia</NAME>
<VARIABLE TYPE="nature"><NAME>smoke</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>lung</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>size</NAME>
 <OUTCOME>none</OUTCOME><OUTCOME>under 2 cm</OUTCOME><OUTCOME>>2</OUTCOME></VARIABLE>
<DEFINITION><FOR>smoke</FOR><TABLE>0.3 0.7</TABLE></DEFINITION>
<DEFINITION><FOR>lung</FOR><GIVEN>smoke</GIVEN><TABLE>0.1 0.9 0.01 0.99</TABLE></DEFINITION>
<DEFINITION><FOR>size</FOR><GIVEN>lung</GIVEN><GIVEN>smoke</GIVEN>
 <TABLE>0.1 0.3 0.6 0.2 0.4 0.4 1 0 0 1 0 0</TABLE></DEFINITION>
</NETWORK></BIF>
"""
NET = """net { name = "asia"; node_size = (80 40); }
node smoke { states = ("yes" "no"); }
node lung { label = "Lung cancer"; states = ("yes" "no"); }
node size { states = ("none" "under 2 cm" ">2"); }
potential (smoke) { data = (0.3 0.7); }  % the prior
potential (lung | smoke) { data = ((0.1 0.9)(0.01 0.99)); }
potential (size | lung smoke) {
  data = (((0.1 0.3 0.6) (0.2 0.4 0.4)) ((1 0 0) (1 0 0)));
}
"""
XDSL = """<?xml version="1.0" encoding="UTF-8"?>
<smile version="1.0" id="asia"><nodes>
<cpt id="smoke"><state id="yes"/><state id="no"/><probabilities>0.3 0.7</probabilities></cpt>
<cpt id="lung"><state id="yes"/><state id="no"/><parents>smoke</parents>
 <probabilities>0.1 0.9 0.01 0.99</probabilities></cpt>
<cpt id="size"><state id="none"/><state id="under_2_cm"/><state id="over_2"/>
 <parents>lung smoke</parents>
 <probabilities>0.1 0.3 0.6 0.2 0.4 0.4 1 0 0 1 0 0</probabilities></cpt>
</nodes><extensions><genie><node id="lung"><name>Lung cancer</name></node></genie></extensions>
</smile>
"""
PGMX = """<?xml version="1.0" encoding="UTF-8"?>
<ProbModelXML formatVersion="0.2.0"><ProbNet type="BayesianNetwork"><Variables>
<Variable name="smoke" type="finiteStates" role="chance"><States><State name="yes"/>
 <State name="no"/></States></Variable>
<Variable name="lung" type="finiteStates" role="chance"><States><State name="yes"/>
 <State name="no"/></States></Variable>
<Variable name="size" type="finiteStates" role="chance"><States><State name="none"/>
 <State name="under 2 cm"/><State name="&gt;2"/></States></Variable>
</Variables><Potentials>
<Potential type="Table"><Variables><Variable name="smoke"/></Variables>
 <Values>0.3 0.7</Values></Potential>
<Potential type="Table"><Variables><Variable name="lung"/><Variable name="smoke"/></Variables>
 <Values>0.1 0.9 0.01 0.99</Values></Potential>
<Potential type="Table"><Variables><Variable name="size"/><Variable name="lung"/>
 <Variable name="smoke"/></Variables>
 <Values>0.1 0.3 0.6 1 0 0 0.2 0.4 0.4 1 0 0</Values></Potential>
</Potentials></ProbNet></ProbModelXML>
"""
TEXTS = {
    "bif": BIF, "uai": UAI, "xmlbif": XMLBIF, "net": NET, "xdsl": XDSL, "pgmx": PGMX,
}  # fmt: skip
