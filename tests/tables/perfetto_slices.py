#!/usr/bin/env python3
"""What a Perfetto trace says, by Perfetto's own message classes: slices closed within those that enclose them, by
function; processes; files; and what the counters add up to. Exits with a word on what no track may do."""

import collections
import json
import sys

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

BEGIN, END, COUNTER = 1, 2, 4


def main(path):
    trace = Trace()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    names, texts, facts = ({} for _ in range(3))
    open_slices = collections.defaultdict(list)
    found = collections.defaultdict(lambda: {"calls": 0, "time": 0, "bytes": 0})
    sites, servers, arrows = collections.Counter(), {}, collections.defaultdict(set)
    files, processes, tracks, counters = set(), {}, set(), collections.defaultdict(list)
    packets = sorted(enumerate(trace.packet), key=lambda each: (each[1].timestamp if each[1].HasField("track_event") else -1, each[0]))
    for _, packet in packets:
        sequence = packet.trusted_packet_sequence_id
        assert sequence > 0, "a packet of no sequence"
        for known, entries in (
            (names, packet.interned_data.event_names),
            (facts, packet.interned_data.debug_annotation_names),
        ):
            known.update({(sequence, entry.iid): entry.name for entry in entries})
        texts.update({(sequence, entry.iid): entry.str.decode() for entry in packet.interned_data.debug_annotation_string_values})
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            assert track.uuid not in tracks, f"track {track.uuid} twice"
            assert not track.parent_uuid or track.parent_uuid in tracks, f"track {track.uuid} below none"
            tracks.add(track.uuid)
            if track.name.startswith("server "):
                servers[track.uuid] = track.name
            elif track.parent_uuid in servers:
                servers[track.uuid] = servers[track.parent_uuid]
            if track.HasField("process"):
                processes[track.process.pid] = track.process.process_name
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        assert event.track_uuid in tracks, f"an event on no track: {event}"
        stack = open_slices[event.track_uuid]
        if event.type == BEGIN:
            notes = {facts[sequence, note.name_iid]: texts[sequence, note.string_value_iid] if note.string_value_iid else note.int_value for note in event.debug_annotations}
            stack.append((packet.timestamp, names[sequence, event.name_iid], notes))
            for arrow in event.flow_ids:
                arrows[arrow].add(servers.get(event.track_uuid))
            files.update(notes[key] for key in ("path", "path2") if key in notes)
        elif event.type == END:
            start, name, notes = stack.pop()
            group = found[name]
            group["calls"] += 1
            group["time"] += packet.timestamp - start
            group["bytes"] += notes.get("bytes", 0)
            sites[notes.get("site")] += 1
        elif event.type == COUNTER:
            counters[event.track_uuid].append((packet.timestamp, event.counter_value))
    left = [stack for stack in open_slices.values() if stack]
    assert not left, f"slices that never end: {left}"
    moved = [sum(rate * (next_at - at) for (at, rate), (next_at, _) in zip(points, points[1:])) / 1e9 for _, points in sorted(counters.items())]
    json.dump({"op": found, "files": sorted(files), "processes": processes, "moved": moved, "sites": {site: calls for site, calls in sites.items() if site}, "servers": sorted(set(servers.values())), "to_servers": sum(len(ends) > 1 for ends in arrows.values())}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
