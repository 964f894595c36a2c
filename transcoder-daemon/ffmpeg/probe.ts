import type { Readable } from 'node:stream'
import { z } from 'zod'
import { buildInputArgs } from './input.ts'
import { type Launch, readAll, runFfmpeg, runFfprobe } from './run.ts'

/** Everything needed to read a source, except the arguments. */
export type Reader = Omit<Launch, 'args'> & { sourcePath: string }

const Count = z.coerce.number().nonnegative().catch(0)
const Seconds = z.coerce.number().nullish().catch(null)
const Text = z.string().max(10_000).nullish().catch(null)
const Tags = z.record(z.string(), z.string()).catch({})

const ProbedStream = z.object({
	index: z.int().nonnegative(),
	id: Text,
	codec_type: Text,
	codec_name: Text,
	codec_tag: Text,
	codec_tag_string: Text,
	nb_frames: Count,
	profile: Text,
	level: z.int().nullish().catch(null),
	width: Count,
	height: Count,
	has_b_frames: Count,
	pix_fmt: Text,
	field_order: Text,
	sample_aspect_ratio: Text,
	avg_frame_rate: Text,
	r_frame_rate: Text,
	time_base: z.string().regex(/^\d+\/\d+$/),
	bit_rate: Count,
	color_range: Text,
	color_space: Text,
	color_transfer: Text,
	color_primaries: Text,
	channels: Count,
	sample_rate: Count,
	disposition: z.record(z.string(), z.number()).catch({}),
	tags: Tags.default({}),
	side_data_list: z.array(z.looseObject({ rotation: z.number().optional().catch(undefined) })).catch([]),
})
export type ProbedStream = z.infer<typeof ProbedStream> & {
	/** Whether this ffmpeg has no decoder for it. */
	isUndecodable: boolean
}

const Probed = z.object({
	streams: z.array(ProbedStream).catch([]),
	format: z.object({
		format_name: z.string(),
		start_time: Seconds,
		duration: Seconds,
		size: Count,
		probe_score: Count,
	}),
})
export type Probed = Omit<z.infer<typeof Probed>, 'streams'> & { streams: ProbedStream[] }

/** Exceeded only by thousands of streams with tags. */
const MAX_DESCRIPTION_BYTES = 4 * 1024 ** 2

/** Probes the container and its first seconds. */
export async function probe(reader: Reader): Promise<Probed> {
	const args = ['-analyzeduration', '20M', '-probesize', '50M', ...buildInputArgs(reader.sourcePath)]
	// Only warnings name the streams without a decoder.
	const show = ['-loglevel', 'warning', '-show_format', '-show_streams', '-of', 'json']
	const { value, stderr } = await runFfprobe({ ...reader, args: [...args, ...show] }, (stdout) =>
		readAll(stdout, MAX_DESCRIPTION_BYTES),
	)
	const { streams, format } = Probed.parse(JSON.parse(value.toString('utf8')))
	const undecodable = new Set([...stderr.matchAll(NO_DECODER)].map(([, index]) => Number(index)))
	return {
		format,
		streams: streams.map((stream) => ({
			...stream,
			isUndecodable: !stream.codec_name || stream.codec_name === 'unknown' || undecodable.has(stream.index),
		})),
	}
}

const NO_DECODER = /(?:Unsupported codec with id \d+|Could not open codec) for input stream (\d{1,4})/g

/** A packet as the demuxer returns it, in decoding order; times in ticks of the stream. */
export type Packet = {
	streamIndex: number
	pts: number | null
	dts: number | null
	duration: number
	size: number
	isKey: boolean
	/** Decoded for later frames but not shown: outside the edit list. */
	isDiscarded: boolean
}

/** Reads every packet of every stream in one pass; returns the demuxer's warnings. */
export async function readPackets(reader: Reader, take: (packet: Packet) => void): Promise<string> {
	const entries = 'packet=stream_index,pts,dts,duration,size,flags'
	const { stderr } = await runFfprobe(
		{ ...reader, args: [...buildInputArgs(reader.sourcePath), '-show_entries', entries, '-of', 'csv=p=0'] },
		(stdout) =>
			readLines(stdout, (line) => {
				const [streamIndex, pts, dts, duration, size, flags] = line.split(',')
				// Side data of a packet has lines of its own.
				if (flags === undefined) return
				take({
					streamIndex: Number(streamIndex),
					pts: ticksIn(pts),
					dts: ticksIn(dts),
					duration: ticksIn(duration) ?? 0,
					size: ticksIn(size) ?? 0,
					isKey: flags.startsWith('K'),
					isDiscarded: flags.includes('D'),
				})
			}),
	)
	return stderr
}

/** Returns the presentation times of packets with an IDR frame: an H.264 key frame may be less than that. */
export async function readIdrTimes(reader: Reader, streamIndex: number): Promise<Set<number>> {
	const times = new Set<number>()
	const idrOnly = ['-bsf:v', 'filter_units=pass_types=5', '-f', 'framecrc', 'pipe:3']
	await runFfmpeg(
		{
			...reader,
			args: [
				'-copyts',
				...buildInputArgs(reader.sourcePath),
				'-map',
				`0:${streamIndex}`,
				'-c',
				'copy',
				...idrOnly,
			],
			pipes: 1,
		},
		async ([list]) => {
			if (list)
				await readLines(list, (line) => {
					if (line.startsWith('#')) return
					const pts = ticksIn(line.split(',')[2]?.trim())
					if (pts !== null) times.add(pts)
				})
		},
	)
	return times
}

const ticksIn = (text: string | undefined): number | null =>
	text === undefined || !/^-?\d+$/.test(text) ? null : Number(text)

async function readLines(stream: Readable, take: (line: string) => void): Promise<void> {
	let rest = ''
	for await (const chunk of stream.setEncoding('latin1')) {
		const lines = (rest + chunk).split('\n')
		rest = (lines.pop() ?? '').slice(0, 1_000)
		for (const line of lines) take(line)
	}
}
