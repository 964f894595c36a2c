import type { Scrambling } from './head-findings.ts'
import type { ReadBytes } from './read-window.ts'

/** Samples from the whole file: a recording may begin before it was descrambled. */
const SAMPLES = 24
const SAMPLE_BYTES = 64 * 1024
const SYNC = 0x47
const PACKET = 188
/** Plain packets, with a four-byte time code (Blu-ray), and with 16 bytes of error correction. */
const STRIDES = [PACKET, 192, 204]
const SYNCS = 5

/** Returns null unless the file is a transport stream. */
export async function isTransportScrambled(
	readBytes: ReadBytes,
	fileBytes: number,
): Promise<Scrambling | null> {
	const counts = new Counts()
	const head = findSync(await readBytes(0, 1_024 + SYNCS * 204))
	if (!head) return null
	for await (const sample of samples(readBytes, fileBytes)) {
		const sync = findSync(sample)
		if (sync)
			for (let at = sync.offset; at + PACKET <= sample.length; at += sync.stride)
				countPacket(sample.subarray(at, at + PACKET), counts)
	}
	return counts.shares()
}

/** Among packets that start a PES packet, counts those with an unreadable payload. */
function countPacket(packet: Buffer, counts: Counts): void {
	const [flags, control] = [packet.readUInt16BE(1), packet.readUInt8(3)]
	const startsUnit = (flags & 0x4000) !== 0
	if (packet[0] !== SYNC || !startsUnit || (control & 0x10) === 0) return
	const payload = packet.subarray((control & 0x20) === 0 ? 4 : 5 + packet.readUInt8(4))
	const isPes = payload.length >= 7 && payload.readUIntBE(0, 3) === 1
	// Some receivers descramble but keep the flag.
	const isScrambled = isPes ? isPesScrambled(payload) : (control & 0xc0) !== 0
	counts.add(`0x${(flags & 0x1fff).toString(16)}`, isScrambled)
}

/** Counts the scrambled PES packets of video, audio and private streams in an MPEG program stream, as on discs. */
export async function findScrambledTracks(readBytes: ReadBytes, fileBytes: number): Promise<Scrambling> {
	const counts = new Counts()
	for await (const sample of samples(readBytes, fileBytes)) {
		let at = sample.indexOf(START)
		while (at >= 0 && at + 9 <= sample.length) {
			const id = streamId(sample.subarray(at))
			if (id !== null) counts.add(id, isPesScrambled(sample.subarray(at)))
			at = sample.indexOf(START, at + 3)
		}
	}
	return counts.shares()
}

const START = Buffer.from([0, 0, 1])
const PRIVATE = 0xbd

/** Returns ffprobe's `id` of a stream; null unless it is video or audio. */
function streamId(pes: Buffer): string | null {
	const id = pes.readUInt8(3)
	// Substreams start with their own number, which discs leave unscrambled.
	const substream = id === PRIVATE ? pes[9 + pes.readUInt8(8)] : undefined
	if (substream !== undefined) return `0x${substream.toString(16)}`
	return id >= 0xc0 && id <= 0xef ? `0x1${id.toString(16)}` : null
}

/** The two bits after the MPEG-2 mark `10` are the scrambling control. */
const isPesScrambled = (pes: Buffer): boolean => {
	const flags = pes.readUInt8(6)
	return flags >> 6 === 2 && (flags & 0x30) !== 0
}

class Counts {
	readonly #packets = new Map<string, { all: number; scrambled: number }>()

	add(id: string, isScrambled: boolean): void {
		const count = this.#packets.get(id) ?? { all: 0, scrambled: 0 }
		this.#packets.set(id, count)
		count.all++
		if (isScrambled) count.scrambled++
	}

	shares(): Scrambling {
		return new Map([...this.#packets].map(([id, { all, scrambled }]) => [id, scrambled / all]))
	}
}

async function* samples(readBytes: ReadBytes, fileBytes: number): AsyncGenerator<Buffer> {
	const step = Math.max(SAMPLE_BYTES, Math.floor(fileBytes / SAMPLES))
	for (let at = 0; at < fileBytes; at += step) yield readBytes(at, SAMPLE_BYTES)
}

function findSync(bytes: Buffer): { offset: number; stride: number } | null {
	for (let offset = 0; offset < 2 * 204; offset++)
		for (const stride of STRIDES)
			if (Array.from({ length: SYNCS }, (_, k) => bytes[offset + k * stride]).every((byte) => byte === SYNC))
				return { offset, stride }
	return null
}
