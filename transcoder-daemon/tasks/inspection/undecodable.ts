import type { Probed, ProbedStream } from '../../ffmpeg/probe.ts'
import type { Span } from '../../ffmpeg/timeline.ts'
import type { SourceHead } from '../../source-heads/head-findings.ts'
import { SourceError } from '../task.ts'
import { formatName } from './format-names.ts'

/** Names the format of a track without a decoder in this ffmpeg. */
export function undecodableError(stream: ProbedStream, probed: Probed, head: SourceHead): SourceError {
	const name = nameIn(stream, probed, head) ?? 'in an unknown format'
	return new SourceError(describeUndecodable(stream.codec_type === 'audio' ? 'audio' : 'video', name))
}

const copies = { audio: 'with AAC sound', video: 'in H.264' }

export const describeUndecodable = (kind: 'audio' | 'video', name: string): string =>
	`the ${kind} of this file is ${name}, which this installation can't decode; upload a copy ${copies[kind]}`

/** Rejects a file whose audio ffmpeg can't decode at all. Returns notes about omitted tracks. */
export function requireDecodableAudio(
	probed: Probed,
	head: SourceHead,
	spans: ReadonlyMap<number, Span>,
): string[] {
	const sounds = probed.streams.filter(({ index }) => (spans.get(index)?.bytes ?? 0) > 0)
	const lost = sounds.filter(({ isUndecodable }) => isUndecodable)
	const [first] = lost
	if (first && lost.length === sounds.length) throw undecodableError(first, probed, head)
	return lost
		.slice(0, MAX_NOTES)
		.map((stream) => `left out audio in ${nameIn(stream, probed, head) ?? 'an unknown format'}: no decoder`)
}

const MAX_NOTES = 5

function nameIn(stream: ProbedStream, { streams }: Probed, { codecIds }: SourceHead): string | null {
	const kind = stream.codec_type === 'audio' ? 'audio' : 'video'
	const track = streams.filter(({ codec_type }) => codec_type === kind).indexOf(stream)
	return formatName(stream, codecIds[kind][track])
}
