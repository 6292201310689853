#!/usr/bin/env python3
"""check_instruction_sets.py accepts code with separate sets and reports each kind of violation."""

import unittest

import check_instruction_sets as check

ENTRY = "0000000000000040 g     F .text_x86_64_v3\t0000000000000012 .hidden rhyton_register_kernels_x86_64_v3\n"
GOOD_SYMBOLS = ENTRY + """\
0000000000000000 l    d  .text_x86_64_v3\t0000000000000000 .text_x86_64_v3
0000000000000060 l     F .text_x86_64_v3\t0000000000000012 _ZN6rhyton5ErrorD2Ev
0000000000000000         *UND*\t0000000000000000 _ZN6rhyton11KernelTableC1Ev
0000000000000000  w      *UND*\t0000000000000000 __gmon_start__
"""
BAD_SYMBOLS = [
    "0000000000000060  w    F .text_x86_64_v3\t0000000000000012 .hidden _ZN6rhyton5ErrorD2Ev",
    "0000000000000060 g     F .text_x86_64_v3\t0000000000000012 _ZN6rhyton3cpu3addEv",
    "0000000000000000 u     O .bss\t0000000000000008 _ZZN6rhyton7contextEvE3all",
    "0000000000000000  w    O .rodata\t0000000000000008 .hidden _ZTSN6rhyton5ErrorE",
]

GOOD_STATE = """\
0000000000000060  w    F .text_x86_64_v3\t0000000000000012 .hidden _ZN6rhyton5ErrorD2Ev
0000000000000000  w    O .data.rel.ro\t0000000000000028 _ZTVN6rhyton5ErrorE
0000000000000000  w    O .rodata\t0000000000000028 _ZTSN6rhyton5ErrorE
0000000000000000  w    O .data.rel.local.DW.ref.__gxx_personality_v0\t0000000000000008 .hidden DW.ref.__gxx_personality_v0
0000000000000000  w    O .bss\t0000000000000008 _ZZN5Eigen8internal20manage_caching_sizesEvE4size
0000000000000010 l     O .bss\t0000000000000008 _ZN6rhyton3cpuL5countE
"""
BAD_STATE = [
    "0000000000000000  w    O .bss\t0000000000000008 _ZZN6rhyton7contextEvE3all",
    "0000000000000000 u     O .bss._ZZN6rhyton7contextEvE3all\t0000000000000008 _ZZN6rhyton7contextEvE3all",
    "0000000000000000  w    O .data\t0000000000000008 _ZN6rhyton5countE",
    "0000000000000000  w    O .tbss\t0000000000000008 _ZN6rhyton5countE",
]

LIBRARY = """\

librhyton.so:     file format elf64-x86-64


Disassembly of section .text:

0000000000001000 <everywhere>:
    1000:\t48 83 ec 08          \tsub    $0x8,%rsp
    1004:\tf3 0f 10 05 00 00 00 00 \tmovss  0x0(%rip),%xmm0
    100c:\tf3 48 0f bc c0       \ttzcnt  %rax,%rax
    1010:\t66 0f 2e c1          \tucomisd %xmm1,%xmm0
{everywhere}
Disassembly of section .text_x86_64_v3:

0000000000002000 <avx2>:
    2000:\tc4 e2 7d b8 c1       \tvfmadd231ps %ymm1,%ymm0,%ymm0
{avx2}
Disassembly of section .text_x86_64_v4:

0000000000003000 <avx512>:
    3000:\t62 f2 7d 48 b8 c1    \tvfmadd231ps %zmm1,%zmm0,%zmm0
    3006:\tc5 f8 77             \tvzeroupper
"""
# The place of the addition, the line, its level.
BAD_CODE = [
    ("everywhere", "    1014:\tc5 f8 77             \tvzeroupper", "x86-64-v3"),
    ("everywhere", "    1014:\tc4 e2 78 f2 c1       \tandn   %ecx,%eax,%eax", "x86-64-v3"),
    ("everywhere", "    1014:\t65 62 f1 7c 48 10 00 \tvmovups %gs:(%rax),%zmm0", "x86-64-v4"),
    ("everywhere", "    1014:\t66 0f 38 00 c1       \tpshufb %xmm1,%xmm0", "x86-64-v3"),
    ("everywhere", "    1014:\tf3 48 0f b8 c0       \tpopcnt %rax,%rax", "x86-64-v3"),
    ("everywhere", "    1014:\tf2 0f 7c c0          \thaddps %xmm0,%xmm0", "x86-64-v3"),
    ("avx2", "    2005:\t62 e1 7c 08 28 c0    \tvmovaps %xmm0,%xmm16", "x86-64-v4"),
    ("avx2", "    2005:\tc5 f8 92 c8          \tkmovw  %eax,%k1", "x86-64-v4"),
]
SETS = ["x86-64-v3", "x86-64-v4"]


def code_violations(library):
    return list(check.check_code(library.splitlines(), SETS))


class CheckInstructionSets(unittest.TestCase):
    def test_one_symbol_is_seen(self):
        self.assertEqual(list(check.check_symbols("x86-64-v3", GOOD_SYMBOLS)), [])
        for line in BAD_SYMBOLS:
            with self.subTest(line=line):
                violations = list(check.check_symbols("x86-64-v3", GOOD_SYMBOLS + line + "\n"))
                self.assertEqual(len(violations), 1, violations)
                self.assertIn(line.split()[-1] + " is seen", violations[0])

    def test_the_entry_has_to_exist(self):
        violations = list(check.check_symbols("x86-64-v3", GOOD_SYMBOLS.replace(ENTRY, "")))
        self.assertEqual(violations, ["x86-64-v3: rhyton_register_kernels_x86_64_v3 is missing"])

    def test_no_set_copies_shared_variables(self):
        self.assertEqual(list(check.check_state("x86-64-v3", GOOD_STATE)), [])
        for line in BAD_STATE:
            with self.subTest(line=line):
                violations = list(check.check_state("x86-64-v3", GOOD_STATE + line + "\n"))
                self.assertEqual(len(violations), 1, violations)
                self.assertIn("variable of the whole library", violations[0])

    def test_nothing_runs_at_load(self):
        good = "Idx Name          Size\n  0 .text_x86_64_v4 0013c515  0000000000000000\n"
        self.assertEqual(list(check.check_sections("x86-64-v4", good)), [])
        for name in (".init_array", ".fini_array", ".ctors", ".init_array.00100"):
            with self.subTest(name=name):
                violations = list(check.check_sections("x86-64-v4", good + f"  1 {name}   00000008  0000000000000000\n"))
                self.assertEqual(len(violations), 1, violations)

    def test_instructions_stay_in_their_sections(self):
        self.assertEqual(code_violations(LIBRARY.format(everywhere="", avx2="")), [])
        for place, line, level in BAD_CODE:
            with self.subTest(line=line):
                added = {"everywhere": "", "avx2": "", place: line}
                violations = code_violations(LIBRARY.format(**added))
                self.assertEqual(len(violations), 1, violations)
                self.assertIn(f"{place} has an instruction of {level}: ", violations[0])

    def test_a_set_has_instructions_of_its_own(self):
        library = LIBRARY.format(everywhere="", avx2="").replace("62 f2 7d 48 b8 c1    \tvfmadd", "0f 58 c1   \taddps ")
        violations = code_violations(library)
        self.assertEqual(len(violations), 1, violations)
        self.assertIn("no instruction of x86-64-v4", violations[0])


if __name__ == "__main__":
    unittest.main()
