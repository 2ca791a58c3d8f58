"""Method: two libraries of the same third-party name with different results go into one program, one of them bundled;
an exception crosses the border, and what the bundle must not define is refused. Names are compared one by one."""

import os
import subprocess
import tempfile
import unittest

from tools.install.bundle import BundleError, bundle, is_known, members, renamed

_TOOLS = {'nm': '/usr/bin/nm', 'objcopy': '/usr/bin/objcopy', 'ar': '/usr/bin/ar'}

# A third-party library: an inline function, so a weak symbol in a COMDAT group, a variable and C linkage.
_THIRD = '''
#pragma once
#include <stdexcept>
namespace absl {
inline int Version() { static int version = VERSION; return version; }
int State();
template <class T> struct Box { virtual ~Box() = default; T value; };
struct Failure : std::runtime_error { using runtime_error::runtime_error; };
}
extern "C" int AbslInternalCall();
'''
_THIRD_SOURCE = '''
#include "third.h"
namespace absl { int State() { return Version(); } }
extern "C" int AbslInternalCall() { return absl::Version(); }
'''
_OWN = '''
#pragma once
#include <stdexcept>
#include <vector>
namespace twingrad {
struct Error : std::runtime_error { using runtime_error::runtime_error; };
int Version();
[[noreturn]] void Throw(const std::vector<int>& numbers);
}
'''
_OWN_SOURCE = '''
#include "own.h"
#include <memory>
#include "third.h"
namespace twingrad {
int Version() {
  auto box = std::make_unique<absl::Box<int>>();
  try { throw absl::Failure("inside"); } catch (const absl::Failure&) { box->value = absl::State(); }
  return box->value * 100 + AbslInternalCall() * 10 + absl::Version();
}
void Throw(const std::vector<int>& numbers) { throw Error(std::to_string(numbers.at(0))); }
}
'''
_MAIN = '''
#include <cstdio>
#include <cstring>
#include <memory>
#include "own.h"
#include "third.h"
int main() {
  auto box = std::make_unique<absl::Box<int>>();
  try { twingrad::Throw({7}); } catch (const twingrad::Error& error) { box->value = error.what()[0] - '0'; }
  std::printf("%d %d %d %d\\n", box->value, twingrad::Version(), absl::State() * 10 + absl::Version(), AbslInternalCall());
}
'''


class NamesTest(unittest.TestCase):

    def test_third_parties_get_names_of_their_own(self) -> None:
        self.assertEqual(renamed('_ZN4absl12lts_202206237SymbolizeEPKvPci'),
                         '_ZN13absl_twingrad12lts_202206237SymbolizeEPKvPci')
        self.assertEqual(renamed('_ZSt4moveIRN3hwy6TargetEEvOT_'), '_ZSt4moveIRN12hwy_twingrad6TargetEEvOT_')
        self.assertEqual(renamed('DW.ref._ZTIN8nlohmann9exceptionE'), 'DW.ref._ZTIN17nlohmann_twingrad9exceptionE')
        self.assertEqual(renamed('AbslInternalSleepFor'), 'AbslInternalSleepFor_twingrad')

    def test_other_names_stay(self) -> None:
        for name in ('_ZN8twingrad5ErrorD1Ev', '_ZNSt6vectorIiE9push_backEOi', 'malloc', '_Z14absl_somethingv'):
            self.assertEqual(renamed(name), name)

    def test_what_the_bundle_may_define(self) -> None:
        for name in ('_ZTVN8twingrad4NodeE', '_ZNSt6vectorIiE9push_backEOi', '_ZNKSs4sizeEv', '_ZGVZNSt1aEvE1b', '_ZTISt1x',
                     '_ZZNSt1xC1EvE1y', '_ZN9__gnu_cxx1xEv', 'autograd_sync_backend_is_standard',
                     '_ZN13absl_twingrad1xEv', 'DW.ref.__gxx_personality_v0', '_ZTSPF13dnnl_status_tP11dnnl_engineE'):
            self.assertTrue(is_known(name), name)
        for name in ('_ZN5other4impl1xEv', 'main', 'sgemm_', '_Z1xSt6vectorIiE'):
            self.assertFalse(is_known(name), name)


class BundleTest(unittest.TestCase):

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name: str, text: str) -> str:
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def compile(self, source: str, text: str, version: int = 0) -> str:
        path = self.write(source, text)
        subprocess.run(['g++-12', '-std=c++20', f'-DVERSION={version}', '-I', self.folder, '-c', path, '-o', path + '.o'],
                       check=True)
        return path + '.o'

    def archive(self, name: str, *objects: str) -> str:
        path = os.path.join(self.folder, name)
        subprocess.run(['ar', 'qcS', path, *objects], check=True)
        return path

    def test_two_versions_in_one_program(self) -> None:
        self.write('third.h', _THIRD)
        self.write('own.h', _OWN)
        # Two members of one name, as the archives of a build have them.
        own = self.archive('libown.a', self.compile('own/x.cc', _OWN_SOURCE, 1))
        third = self.archive('libthird.a', self.compile('third/x.cc', _THIRD_SOURCE, 1),
                             self.compile('third/more/x.cc', 'namespace twingrad { int more; }'))
        out = os.path.join(self.folder, 'libbundle.a')
        bundle([own, third], out=out, **_TOOLS)
        with open(out, 'rb') as file:
            self.assertEqual([name for name, _ in members(file.read())],
                             ['own_x.cc.o', 'third_x.cc.o', 'third_2_x.cc.o'])
        program = os.path.join(self.folder, 'program')
        subprocess.run(['g++-12', '-o', program, self.compile('main.cc', _MAIN, 2), out,
                        self.compile('their/third.cc', _THIRD_SOURCE, 2)], check=True)
        done = subprocess.run([program], check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout, '7 111 22 2\n')

    def test_refuses_what_it_does_not_know(self) -> None:
        stranger = self.archive('libstranger.a', self.compile('s.cc', 'namespace other { int Convolve() { return 1; } }'))
        with self.assertRaisesRegex(BundleError, '_ZN5other8ConvolveEv'):
            bundle([stranger], out=os.path.join(self.folder, 'out.a'), **_TOOLS)
        with self.assertRaisesRegex(BundleError, 'is no archive'):
            bundle([self.write('x.a', 'text')], out=os.path.join(self.folder, 'out.a'), **_TOOLS)
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'out.a')))


if __name__ == '__main__':
    unittest.main()
