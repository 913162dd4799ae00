"""A program on an engine in time: its sequencers and its port, each event in its turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from tilewright.generators.reference.cycles import Gemm
from tilewright.generators.reference.engine_delays import delays
from tilewright.generators.reference.engine_machine import QUEUE_DEPTH, SEQUENCERS
from tilewright.generators.reference.engine_queue import InstructionQueue, Moment
from tilewright.generators.reference.engine_reads import CHECK, FETCH_EACH, ReadChannel
from tilewright.generators.reference.engine_records import INSTRUCTION_BYTES, TOKENS, Entry, Into, Op
from tilewright.generators.reference.engine_regions import Regions
from tilewright.generators.reference.engine_walks import NEVER, Port, Transfer
from tilewright.generators.reference.engine_writes import RAW, Store, WriteChannel
from tilewright.generators.reference.records import Start

# Cycles, as they are in the RTL.
FETCH_FIRST = 4  # from the write of the start bit to the first request for instructions
FETCHED = 2  # from an instruction's last beat to its queue
FETCH_AGAIN = 3  # from there to the request that it made room for
ANNOUNCED = 4  # loads that wait for a port of the core
UNDER_WAY = 8  # instructions of a sequencer, or loads of a port, that have begun and not ended
ENDED = 2  # from the last word of a port to its answer, where a memory is written at once
STORED = 1  # from the last response to the tokens
PROGRAM_END = 7  # from the end of all to the interrupt
DATAFLOWS = ("ws", "os", "is")


class Run:
    """Follows a program; ``model`` is the `EngineCycles`. No further than it takes to see that ``limit`` is passed."""

    def __init__(self, model: Any, program: Sequence[Entry], limit: int = NEVER) -> None:
        self.model, config = model, model.config
        ends = [at for at, entry in enumerate(program) if entry.op == Op.END]
        self.program = program[: ends[0] + 1] if ends else program
        self.times = [Moment(entry.number) for entry in self.program]
        self.tokens: list[deque[int]] = [deque() for _ in range(TOKENS)]
        self.queues = {name: InstructionQueue() for name in ("load", "compute", "store")}
        self.slots: dict[tuple[Op, int], Mapping[str, int]] = {}
        beats = max(1, INSTRUCTION_BYTES * 8 // config.bus_bits)
        self.reads = ReadChannel(model.latency, config.outstanding, beats, _fetch_bursts(beats, config.max_burst))
        self.lanes = config.scratchpads.c.lanes
        read_latency = model.core.read_latency("c")
        self.delays = delays(config)
        check, finishing = _divides(self.lanes), self.delays.finishing
        self.writes = WriteChannel(model.latency, config.outstanding, read_latency, check, finishing)
        self.regions = Regions(model.core)
        self.asked = FETCH_FIRST - FETCH_EACH
        self.requested = self.dispatched = self.dealt = 0
        for _ in range(min(QUEUE_DEPTH, len(program))):
            self._request(0)
        self.ports: dict[int, Port] = {}
        self.before: dict[int, deque[Transfer]] = {}
        self.last_load: tuple[Transfer, Transfer | None, Transfer | None] | None = None
        self.last_store: Store | None = None
        self.command = model.core.follow()
        self.commands = 0
        self.limit = limit
        self.to_compute = sum(self._least(entry) for entry in self.program if entry.op == Op.GEMM)
        self.ended = self.beyond = False  # whether the program has come to its end, or passes the limit
        self.recent: deque[tuple[int, int, int, int]] = deque(maxlen=model.core.in_flight)

    def moments(self) -> list[Moment]:
        """When each instruction begins and ends."""
        reads = self.reads
        while not self.beyond:
            request = min(reads.next()[0], reads.arrival())
            deal = self._deals()
            begins = {name: self._begins(name) for name in self.queues}
            first = min(begins, key=begins.__getitem__)
            stores = self.writes.next()
            now = min(deal, begins[first], stores)
            if now == request == NEVER:
                self.ended = self.dealt == len(self.program) and not any(q.waiting for q in self.queues.values())
                return self.times
            if request < now:
                self._port(now)
            elif stores == now:
                self._stores(min(deal, begins[first], request))
            elif deal == now:
                self._deal(deal)
            else:
                self._begin(first, begins[first])
        return self.times

    def _port(self, until: int) -> None:
        """Requests and arrivals before ``until``, as long as they change nothing else."""
        reads, has_tokens = self.reads, self._has_tokens("load") < until
        while True:
            (request, of_load), arrival = reads.next(), reads.arrival()
            if min(request, arrival) >= until:
                return
            if request < arrival:
                reads.request(request, of_load)
            else:
                fetched = len(reads.fetched)
                loads = reads.arrive(arrival)
                for load in loads:
                    self._ended(load)
                if loads or len(reads.fetched) > fetched:
                    return
            if has_tokens and self._load_free() < until:
                return

    def _request(self, room: int) -> None:
        """Asks for the next instruction."""
        if self.requested < len(self.program):
            self.asked = self.reads.fetch_from(max(self.asked + FETCH_EACH, room))
            self.requested += 1

    def _came(self) -> int:
        """When the next instruction is there; NEVER while that is not known."""
        return self.reads.fetched[self.dealt] + FETCHED if self.dealt < len(self.reads.fetched) else NEVER

    def _deals(self) -> int:
        came = self._came()
        if came == NEVER:
            return NEVER
        at = max(came, self.dispatched + 1)
        entry = self.program[self.dealt]
        return at if entry.op == Op.END else max(at, self.queues[SEQUENCERS[entry.op]].room())

    def _deal(self, now: int) -> None:
        """An instruction comes into its queue."""
        entry = self.program[self.dealt]
        self.dispatched = now
        self._request(now + FETCH_AGAIN)
        if entry.op == Op.END:
            self.times[self.dealt].begins = self.times[self.dealt].ends = now
        else:
            queue = self.queues[SEQUENCERS[entry.op]]
            queue.waiting.append((self.dealt, now + 1))
            queue.dealt += 1
        self.dealt += 1

    def _begins(self, name: str) -> int:
        """When the first instruction of a queue begins; NEVER while that is not known."""
        ready = self._has_tokens(name)
        if ready == NEVER or name == "compute":
            return ready
        return max(ready, self._load_free() if name == "load" else self._store_free())

    def _has_tokens(self, name: str) -> int:
        """When the first instruction of a queue is there, and all its tokens; NEVER while that is not known."""
        queue = self.queues[name]
        if not queue.waiting:
            return NEVER
        index, ready = queue.waiting[0]
        ready = max(ready, queue.free)
        waits = self.program[index].waits
        token = 0
        while waits:
            if waits & 1:
                if not self.tokens[token]:
                    return NEVER
                ready = max(ready, self.tokens[token][0] + 1)
            waits >>= 1
            token += 1
        return ready

    def _store_free(self) -> int:
        """When the store sequencer has passed its last store on."""
        if self.last_store is None:
            return 0
        return NEVER if self.last_store.commanded is None else self.last_store.commanded + 1

    def _load_free(self) -> int:
        """When the load sequencer has passed its last load on."""
        if self.last_load is None:
            return 0
        load, announced, under_way = self.last_load
        if load.ordered is None:
            return NEVER
        free = load.ordered
        if announced is not None:
            if announced.commanded is None:
                return NEVER
            free = max(free, announced.commanded + 1)
        if under_way is not None:
            if under_way.ends is None:
                return NEVER
            free = max(free, under_way.ends + 1)
        return free + 1

    def _begin(self, name: str, now: int) -> None:
        queue = self.queues[name]
        index, _ = queue.waiting.popleft()
        entry, moment = self.program[index], self.times[index]
        for token in range(TOKENS):
            if entry.waits >> token & 1:
                self.tokens[token].popleft()
        moment.begins = moment.ends = now
        queue.free = now + 1
        if entry.op == Op.LOAD:
            self._load(index, entry, now)
        elif entry.op == Op.STORE:
            self._store(index, entry, now)
        elif entry.op == Op.GEMM:
            moment.begins, moment.ends = self._command(entry, now)
            queue.free = moment.begins + 1
            self._give(entry, moment.ends)
        else:
            self.slots[entry.op, entry.fields.get("slot", 0)] = entry.fields
            self._give(entry, now)
        queue.begun.append(moment.begins)

    def _least(self, entry: Entry) -> int:
        """Cycles that the array takes for a command, at least, when it never waits."""
        get = entry.fields.get
        return int(self.model.core.least(get("m", 0), get("n", 0), get("k", 0), DATAFLOWS[get("dataflow", 0)]))

    def _give(self, entry: Entry, now: int) -> None:
        for token in range(TOKENS):
            if entry.gives >> token & 1:
                self.tokens[token].append(now)

    def _load(self, index: int, entry: Entry, now: int) -> None:
        model, into = self.model, entry.fields.get("target", 0)
        tensor = self.slots[Op.LOAD_TENSOR, entry.fields.get("slot", 0)]
        found = model.bursts(entry, tensor)
        if into not in self.ports:
            memory, lanes = {Into.A: "a", Into.B: "b"}.get(Into(into), "c"), model.format(entry)[1]
            lanes = lanes // model.config.vector if memory == "a" else lanes
            written = ENDED + model.core.write_latency(memory)
            operand = {"a": 0, "b": 1}.get(memory)
            way = (0, 0) if operand is None else (self.delays.into[operand], self.delays.waiting[operand])
            self.ports[into] = Port(CHECK + _divides(lanes), written, self.reads.walks.answered, *way)
            self.before[into] = deque(maxlen=UNDER_WAY)
        before = self.before[into]
        region = self.regions.writes[entry.fields.get("region", 0)] if into == Into.C else None
        # From picture to picture is found bit by bit.
        starts = max(0, (tensor.get("out_y_count", 1) - 1).bit_length() - 1)
        load = Transfer(found, self.ports[into], index, now, region, starts)
        announced = before[-ANNOUNCED] if len(before) >= ANNOUNCED else None
        self.last_load = load, announced, before[0] if len(before) == UNDER_WAY else None
        before.append(load)
        self.reads.walks.add(load)

    def _ended(self, load: Transfer) -> None:
        assert load.ends is not None
        self.times[load.gives].ends = load.ends
        self._give(self.program[load.gives], load.ends)

    def _store(self, index: int, entry: Entry, now: int) -> None:
        fields = entry.fields
        found = self.model.bursts(entry, self.slots[Op.STORE_TENSOR, fields.get("slot", 0)])
        way = RAW + (self.delays.finish if fields.get("target", 0) else 0)
        region = self.regions.reads[fields.get("region", 0)]
        self.last_store = Store(found, index, now, way, region)
        self.writes.add(self.last_store)

    def _stores(self, until: int) -> None:
        """The next words of a store; nothing else happens ``until`` then."""
        done = self.writes.step(until)
        if done is not None:
            store, answered = done
            self.times[store.index].ends = answered + STORED
            self._give(self.program[store.index], answered + STORED)

    def _command(self, entry: Entry, now: int) -> tuple[int, int]:
        """(when the core takes it, when it is complete)."""
        get = entry.fields.get
        m, n, k = get("m", 0), get("n", 0), get("k", 0)
        lanes = self.lanes
        low, region = get("c_base", 0), get("region", 0)
        high = low + m * -(-n // lanes)
        spans = [(region, low, high)]
        if get("start", 0) == Start.BIAS:
            spans.append((region, get("bias_base", 0), get("bias_base", 0) + -(-n // lanes)))
        after = tuple(
            index
            for index, where, first, end in self.recent
            if any(where == r and first < h and lo < end for r, lo, h in spans)
        )
        command = Gemm(m, n, k, DATAFLOWS[get("dataflow", 0)], after, get("point", 0))
        timing = self.command(command, now)
        self.to_compute -= self._least(entry)
        self.beyond = timing.last_step + self.to_compute > self.limit
        self.regions.command(region, command, timing, fresh=get("start", 0) == Start.ZERO)
        self.recent.append((self.commands, region, low, high))
        self.commands += 1
        return timing.taken, timing.offered


def _fetch_bursts(beats: int, max_burst: int) -> int:
    """An instruction is fetched in bursts of the largest power of two of beats that a burst may have."""
    return max(1, beats >> (max_burst.bit_length() - 1))


def _divides(lanes: int) -> int:
    """A cycle more where words are divided by a number that is no power of two."""
    return int(lanes & (lanes - 1) != 0)
