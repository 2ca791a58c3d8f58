"""What lies beside a fuzz target's binary for services that run it: its seeds, its options and its dictionary.

    fuzz_pack.py --zip=OUT.zip --options=OUT.options [--dict=OUT.dict --words=IN.dict] [--flag=-len_control=0]... SEED...

Seeds are named by their contents, so that equal files of two folders are one, and two files of one name are two.
"""

import argparse
import hashlib
import shutil
import sys
import zipfile

# The archive depends on the seeds alone.
EPOCH = (1980, 1, 1, 0, 0, 0)


def pack(path, seeds):
    files = {}
    for seed in seeds:
        with open(seed, 'rb') as file:
            contents = file.read()
        files[hashlib.sha1(contents).hexdigest()] = contents
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name, contents in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), contents)


def options(flags, with_dictionary):
    """The file of options: libFuzzer's flags without their dash."""
    lines = ['[libfuzzer]', *(flag.lstrip('-').replace('=', ' = ', 1) for flag in flags)]
    if with_dictionary:
        lines.append(f'dict = {with_dictionary}')
    return '\n'.join(lines) + '\n'


def main(words):
    parser = argparse.ArgumentParser(description='packs what lies beside a fuzz target')
    parser.add_argument('--zip', required=True)
    parser.add_argument('--options', required=True)
    parser.add_argument('--dict')
    parser.add_argument('--words')
    parser.add_argument('--flag', action='append', default=[])
    parser.add_argument('seeds', nargs='+')
    arguments = parser.parse_args(words)
    pack(arguments.zip, arguments.seeds)
    if arguments.dict:
        shutil.copyfile(arguments.words, arguments.dict)
    with open(arguments.options, 'w', encoding='utf-8') as file:
        file.write(options(arguments.flag, arguments.dict and arguments.dict.rpartition('/')[2]))


if __name__ == '__main__':
    main(sys.argv[1:])
