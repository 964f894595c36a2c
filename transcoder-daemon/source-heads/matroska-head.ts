import { readElementHead, readElements, SEGMENT } from './ebml.ts'
import type { SourceHead } from './head-findings.ts'
import type { ReadWindow } from './read-window.ts'

/** Clusters may precede the tracks; real files have a few other elements there. */
const MAX_ELEMENTS = 10_000
/** Larger than the descriptions of the maximum number of tracks. */
const MAX_TRACKS_BYTES = 4 * 1024 ** 2

const TRACKS = 0x1654ae6b
const TRACK = 0xae
const TRACK_TYPE = 0x83
const CODEC_ID = 0x86
const ENCODINGS = 0x6d80
const ENCODING = 0x6240
const ENCODING_TYPE = 0x5033
const ENCRYPTION = 0x5035
const ENCRYPTION_ALGORITHM = 0x47e1

const KINDS: Readonly<Record<number, 'video' | 'audio'>> = { 1: 'video', 2: 'audio' }
const ALGORITHMS: Readonly<Record<number, string>> = {
	1: 'DES',
	2: '3DES',
	3: 'Twofish',
	4: 'Blowfish',
	5: 'AES',
}

/** Reads the codec and the encryption of each track. */
export async function readMatroskaHead(
	window: ReadWindow,
	fileBytes: number,
): Promise<Pick<SourceHead, 'encryption' | 'codecIds'>> {
	const codecIds = { video: [] as string[], audio: [] as string[] }
	let encryption: string | null = null
	for (const { id, body } of readElements(await readTracks(window, fileBytes))) {
		const kind = id === TRACK && KINDS[numberIn(find(body, TRACK_TYPE))]
		if (!kind) continue
		codecIds[kind].push(find(body, CODEC_ID)?.toString('latin1', 0, 80) ?? '')
		encryption ??= encryptionIn(body)
	}
	return { encryption, codecIds }
}

function encryptionIn(track: Buffer): string | null {
	for (const { id, body } of readElements(find(track, ENCODINGS) ?? Buffer.alloc(0))) {
		const settings = find(body, ENCRYPTION)
		if (id !== ENCODING || (!settings && numberIn(find(body, ENCODING_TYPE)) !== 1)) continue
		return ALGORITHMS[numberIn(settings && find(settings, ENCRYPTION_ALGORITHM))] ?? ''
	}
	return null
}

/** Returns the body of the first `Tracks`, or nothing. */
async function readTracks(window: ReadWindow, fileBytes: number): Promise<Buffer> {
	let at = 0
	for (let elements = 0; elements < MAX_ELEMENTS && at < fileBytes; elements++) {
		const head = readElementHead(await window.read(at, 12))
		if (!head) break
		at += head.length
		if (head.id === TRACKS) return window.read(at, Math.min(head.size ?? MAX_TRACKS_BYTES, MAX_TRACKS_BYTES))
		if (head.id === SEGMENT) continue
		if (head.size === null) break
		at += head.size
	}
	return Buffer.alloc(0)
}

function find(bytes: Buffer, id: number): Buffer | undefined {
	for (const element of readElements(bytes)) if (element.id === id) return element.body
	return undefined
}

/** Returns -1 without a number. */
const numberIn = (body: Buffer | undefined): number =>
	body && body.length >= 1 && body.length <= 6
		? body.readUIntBE(0, body.length)
		: body?.length === 8
			? Number(body.readBigUInt64BE())
			: -1
