//! Programs of every day under the preloaded library: what they print, how they end and what they leave is the same.

use iota_tests::{Case, Way, find, wanted};

/// A shell script, bare and with everything that it starts preloaded.
fn looks_the_same(script: &str) {
    let case = Case::shell(script).seconds(120);
    let (bare, traced) = (case.clone().run(), case.way(Way::Preload).run());
    assert_eq!(
        bare.output.code(),
        0,
        "the script works: {}",
        bare.output.errors()
    );
    traced.assert_same_as(&bare);
    assert!(!traced.trace_files().is_empty(), "and it was traced");
}

fn with(command: &str, script: &str) {
    if wanted(command, find(command).is_some(), "install it") {
        looks_the_same(script);
    }
}

#[test]
fn shells_and_pipes() {
    looks_the_same(
        "for i in 1 2 3; do echo line $i; done | tee out | sort -r | while read a b; do echo $b-$a; done; wc -c <out",
    );
}

#[test]
fn here_documents_and_redirections() {
    looks_the_same(
        "cat <<E >a 2>b; exec 5>c; echo five >&5; exec 5>&-; (echo sub; echo err >&2) 2>>b; cat a b c\ntext\nE",
    );
}

#[test]
fn copies_and_links() {
    looks_the_same(
        "seq 1 100000 >a; cp a b; cp --reflink=auto a c; ln -s a l; cmp a b; cp -r . ../copied; ls ../copied | sort; rm l; mv c d; du -b a",
    );
}

#[test]
fn blocks() {
    looks_the_same(
        "dd if=/dev/zero of=z bs=4k count=100 status=none; dd if=z of=y bs=1k seek=5 conv=notrunc,fsync status=none; cksum y; truncate -s 10 z; stat -c %s z; split -b 100k y part.; ls",
    );
}

#[test]
fn archives() {
    looks_the_same(
        "mkdir d; for i in 1 2 3 4 5; do seq $i 1000 >d/$i; done; tar cf d.tar --mtime=@1 --sort=name d; gzip -kn d.tar; tar tzf d.tar.gz | sort; mkdir e; tar xf d.tar -C e; diff -r d e/d",
    );
}

#[test]
fn searches() {
    looks_the_same(
        "mkdir -p a/b/c; touch a/x a/b/y a/b/c/z; find . -type f | sort; find . -name z -exec sh -c 'echo found {}' sh \\;; grep -r nothing . ; seq 1 9999 | sed -n '/77$/p' | awk '{ s += $1 } END { print s }'",
    );
}

#[test]
fn compilers() {
    looks_the_same(
        "printf '#include <stdio.h>\\nint main(void){puts(\"made\");return 0;}' >m.c; cc -c m.c; cc m.o -o m; ./m; rm m m.o",
    );
}

#[test]
fn a_python_program() {
    with(
        "python3",
        "python3 -c '
import json, os, subprocess, tempfile, threading
with open(\"a\", \"w\") as f: json.dump(list(range(1000)), f)
def work(i):
    with open(f\"t{i}\", \"wb\", buffering=0) as f: [f.write(b\"x\" * 10) for _ in range(100)]
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sum(os.path.getsize(f\"t{i}\") for i in range(8)), json.load(open(\"a\"))[-1])
print(subprocess.check_output([\"echo\", \"from a child\"]))
with os.popen(\"echo popen\") as pipe: print(pipe.read(), flush=True)
if os.fork() == 0: os._exit(os.write(os.open(\"child\", os.O_CREAT | os.O_WRONLY), b\"five\"))
print(os.wait()[1] >> 8, open(\"child\").read())
'",
    );
}

#[test]
fn a_perl_program() {
    with(
        "perl",
        "perl -e 'open(F, \">\", \"a\"); print F \"line $_\\n\" for 1..5000; close F; open(F, \"+<\", \"a\"); seek(F, 100, 0); read(F, $b, 20); print $b, tell(F), \"\\n\"; print `echo child`; exit 3 unless -s \"a\"'",
    );
}

#[test]
fn version_control() {
    with(
        "git",
        "export HOME=$PWD GIT_AUTHOR_DATE='1 +0000' GIT_COMMITTER_DATE='1 +0000'; git init -q r; cd r; git config user.email a@b; git config user.name n; seq 1 1000 >f; git add f; git commit -qm one; seq 2 1001 >f; git commit -qam two; git log --oneline | cut -c9-; git diff HEAD~1 --stat; git gc -q; git fsck; cd ..; rm -rf r",
    );
}
