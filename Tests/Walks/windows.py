"""What a process executes in windows of time, by callgrind."""

import glob
import os
import re
import subprocess


class Profile:
    """The addresses that were executed, and the calls between them, in the program itself."""

    def __init__(self):
        self.addresses = set()
        self.calls = set()
        # Executed by the thread that writes while one of its transactions was open.
        self.inside = set()

    def read(self, text, binary):
        """Adds a dump. Its lines name the object, the function and the cost of an address; a call is
        followed by the address of the call and its inclusive cost."""
        own, callee = False, False
        target = None
        for line in text.splitlines():
            if line.startswith("ob="):
                own = callee = line[3:] == binary
            elif line.startswith("fn="):
                callee = own
            elif line.startswith("cob="):
                callee = line[4:] == binary
            elif line.startswith("calls="):
                target = int(line.split()[1], 16)
            elif line.startswith("0x"):
                address = int(line.split()[0], 16)
                if target is not None:
                    if own and callee:
                        self.calls.add((address, target))
                    target, callee = None, own
                elif own:
                    self.addresses.add(address)


class Windows:
    """A process under callgrind that counts from one command to the next."""

    # The functions of the store's engines that begin and commit a transaction, by their linkage names.
    BEGIN, COMMIT = "CommitsC5begin", "CommitsC6commit"

    def __init__(self, binary, folder, separate_threads=False):
        os.mkdir(folder)
        self.folder = folder
        # Symbols suffice here; callgrind would read debug information for a minute.
        self.binary = os.path.join(folder, os.path.basename(binary))
        subprocess.run(["strip", "--strip-debug", "-o", self.binary, binary], check=True)
        library = os.path.join(folder, "spawn.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spawn.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        self.environment = {"LD_PRELOAD": library, "WALKED_PROGRAM": self.binary}
        self.command = [
            "valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", "--dump-instr=yes",
            "--dump-line=no", "--compress-strings=no", "--compress-pos=no",
            f"--callgrind-out-file={folder}/out", self.binary]
        if separate_threads:
            self.command[1:1] = [
                "--separate-threads=yes", *(f"--dump-before=*{name}*" for name in (self.BEGIN, self.COMMIT))]

    def attach(self, pid, rest):
        """- rest: waits until the process does nothing."""
        self.pid, self.rest = pid, rest

    def begin(self):
        self.rest()
        self.control("--instr=on")

    def of(self, action, count, warming):
        """The profiles of so many windows, each with the action and what follows from it."""
        for _ in range(warming):
            action()
        return [self.window(action) for _ in range(count)]

    def window(self, action):
        self.rest()
        self.control("--zero")
        for path in glob.glob(f"{self.folder}/out*"):
            os.remove(path)
        action()
        self.rest()
        self.control("--dump")
        profile = Profile()
        dumps = sorted(glob.glob(f"{self.folder}/out*"), key=self.order)
        open_threads = set()
        for path in dumps:
            text, part = read(path), Profile()
            part.read(text, self.binary)
            profile.addresses |= part.addresses
            profile.calls |= part.calls
            # A dump ends where the function is called that has triggered it.
            trigger = re.search(r"Trigger: --dump-before=(\S+)", text)
            thread = self.order(path)[1]
            if thread in open_threads:
                profile.inside |= part.addresses
            if trigger and self.BEGIN in trigger.group(1):
                open_threads.add(thread)
            elif trigger and self.COMMIT in trigger.group(1):
                open_threads.discard(thread)
        return profile

    @staticmethod
    def order(path):
        """The numbers of the dump and of the thread: `out.7-02`."""
        found = re.search(r"out(?:\.(\d+))?(?:-(\d+))?$", path)
        return int(found.group(1) or 0), int(found.group(2) or 0)

    def control(self, option):
        subprocess.run(["callgrind_control", option, str(self.pid)],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
