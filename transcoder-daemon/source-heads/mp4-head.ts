import type { SourceHead } from './head-findings.ts'
import type { ReadWindow } from './read-window.ts'

/** More than a file with the maximum number of tracks has. A hostile file may consist only of boxes. */
const MAX_BOXES = 20_000
/** Files may hold this many boxes beside `moov`. */
const MAX_TOP_BOXES = 200_000
const MAX_ENTRY_BYTES = 64 * 1024

/** Sample entries of encrypted tracks (ISO/IEC 14496-12, 8.12), of FairPlay and of Audible. */
const ENCRYPTED = /^(enc[uva]|drm[is]|aavd)$/
const SYSTEMS: Readonly<Record<string, string>> = {
	...{ drmi: 'FairPlay', drms: 'FairPlay', itun: 'FairPlay', aavd: 'Audible' },
}

type FileBox = { type: string; bodyAt: number; end: number }
type Track = { kind: string; encryption: string | null; timescale: number | null; hasEdits: boolean }

/** Reads what `moov` says about encryption and clocks, without its tables. */
export async function readMp4Head(
	window: ReadWindow,
	fileBytes: number,
): Promise<Pick<SourceHead, 'encryption' | 'hasInvalidClock'>> {
	let timescale: number | null = null
	const tracks: Track[] = []
	const reader = new BoxReader(window, MAX_BOXES)
	for await (const top of new BoxReader(window, MAX_TOP_BOXES).boxes(0, fileBytes)) {
		if (top.type !== 'moov') continue
		for await (const box of reader.boxes(top.bodyAt, top.end)) {
			if (box.type === 'mvhd') timescale = await readTimescale(window, box)
			if (box.type === 'trak') tracks.push(await readTrack(reader, window, box))
		}
		// Programs ignore a second `moov`.
		break
	}
	const media = tracks.filter(({ kind, encryption }) => encryption !== null || /^(vide|soun)$/.test(kind))
	return {
		encryption: media.find(({ encryption }) => encryption !== null)?.encryption ?? null,
		hasInvalidClock: media.some(
			(track) => isInvalid(track.timescale) || (track.hasEdits && isInvalid(timescale)),
		),
	}
}

/** Programs read time scales as signed numbers. */
const isInvalid = (timescale: number | null): boolean =>
	timescale !== null && (timescale === 0 || timescale > 0x7fffffff)

async function readTrack(reader: BoxReader, window: ReadWindow, trak: FileBox): Promise<Track> {
	const track: Track = { kind: '', encryption: null, timescale: null, hasEdits: false }
	const visit = async (parent: FileBox): Promise<void> => {
		for await (const box of reader.boxes(parent.bodyAt, parent.end)) {
			if (/^(mdia|minf|stbl|edts)$/.test(box.type)) await visit(box)
			else if (box.type === 'elst') track.hasEdits = true
			else if (box.type === 'hdlr') track.kind = (await window.read(box.bodyAt + 8, 4)).toString('latin1')
			else if (box.type === 'mdhd') track.timescale = await readTimescale(window, box)
			else if (box.type === 'stsd') track.encryption ??= await findEncryption(reader, window, box)
		}
	}
	await visit(trak)
	return track
}

/** A track may have clear and encrypted sample entries; samples refer to both. */
async function findEncryption(reader: BoxReader, window: ReadWindow, stsd: FileBox): Promise<string | null> {
	for await (const { type, bodyAt, end } of reader.boxes(stsd.bodyAt + 8, stsd.end)) {
		if (!ENCRYPTED.test(type)) continue
		const entry = await window.read(bodyAt, Math.min(end - bodyAt, MAX_ENTRY_BYTES))
		return SYSTEMS[type] ?? readScheme(entry)
	}
	return null
}

/** Reads the scheme (`sinf/schm`) of a sample entry, whose head differs by writer. Foreign text: four letters at most. */
function readScheme(entry: Buffer): string {
	const at = entry.indexOf('schm', 0, 'latin1')
	const scheme = at < 0 ? '' : entry.toString('latin1', at + 8, at + 12)
	return SYSTEMS[scheme] ?? (/^[A-Za-z0-9]{4}$/.test(scheme) ? scheme : '')
}

/** Reads the ticks per second in an `mvhd` or `mdhd`; null if it is truncated. */
async function readTimescale(window: ReadWindow, { bodyAt, end }: FileBox): Promise<number | null> {
	const body = await window.read(bodyAt, Math.min(end - bodyAt, 24))
	if (body.length < 24) return null
	return body.readUInt32BE(body.readUInt8(0) === 1 ? 20 : 12)
}

/** Walks boxes in a file, at most a number of them in all. */
class BoxReader {
	readonly #window: ReadWindow
	#left: number

	constructor(window: ReadWindow, maxBoxes: number) {
		this.#window = window
		this.#left = maxBoxes
	}

	async *boxes(from: number, to: number): AsyncGenerator<FileBox> {
		for (let at = from; at + 8 <= to && this.#left > 0; this.#left--) {
			const head = await this.#window.read(at, 16)
			if (head.length < 8) return
			let size = head.readUInt32BE(0)
			const bodyAt = at + (size === 1 ? 16 : 8)
			if (size === 1) size = head.length < 16 ? 0 : Number(head.readBigUInt64BE(8))
			else if (size === 0) size = to - at
			if (at + size < bodyAt) return
			yield { type: head.toString('latin1', 4, 8), bodyAt, end: Math.min(at + size, to) }
			at += size
		}
	}
}
