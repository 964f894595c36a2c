import { createCipheriv } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { readBoxes } from '../../../../transcoder-daemon/mp4/boxes.ts'
import { programs } from '../../ffmpeg/programs.ts'
import { box, type HostileFile } from '../hostile-files.ts'
import { makeVideo, type Recipe } from '../make-video.ts'

/** A kind of track, by its handler. */
type Kind = 'vide' | 'soun'

const KEY = Buffer.from('76a6c65c5ea762046bd749a2e632ccbb', 'hex')
const IV = Buffer.alloc(16, 7)
/** AES blocks: one is encrypted, nine are not. */
const BLOCK = 16
const PATTERN = 10
/** Enough for the head of a slice, so that decoders produce frames, and noise. */
const CLEAR_BYTES = 32

/** Replaces the boxes at the path. `moov` must lie at the end, so that no sample moves. */
export function editBoxes(
	bytes: Buffer,
	[type, ...path]: readonly string[],
	edit: (body: Buffer) => Buffer,
): Buffer {
	const parts = [...readBoxes(bytes)].map((child) =>
		box(
			child.type,
			child.type !== type
				? child.body
				: path.length === 0
					? edit(child.body)
					: editBoxes(child.body, path, edit),
		),
	)
	return Buffer.concat(parts)
}

/** Edits the sample entries of the tracks of one kind. */
export function editEntries(
	bytes: Buffer,
	kind: Kind,
	edit: (entry: { type: string; body: Buffer }) => Buffer,
): Buffer {
	return editBoxes(bytes, ['moov', 'trak'], (trak) =>
		trak.includes(`\0\0\0\0${kind}`)
			? editBoxes(trak, ['mdia', 'minf', 'stbl', 'stsd'], (stsd) => {
					const entries = [...readBoxes(stsd.subarray(8))].map(edit)
					return Buffer.concat([stsd.subarray(0, 4), uint32(entries.length), ...entries])
				})
			: trak,
	)
}

export const renameEntries = (bytes: Buffer, kind: Kind, type: string): Buffer =>
	editEntries(bytes, kind, ({ body }) => box(type, body))

/** Describes tracks as encrypted; the scheme null is left out. */
export const declareEncrypted = (bytes: Buffer, kind: Kind, scheme: string | null): Buffer =>
	editEntries(bytes, kind, (entry) => encryptedEntry(entry, kind, scheme))

function encryptedEntry(
	{ type, body }: { type: string; body: Buffer },
	kind: Kind,
	scheme: string | null,
): Buffer {
	const schm = box('schm', uint32(0), Buffer.from(scheme ?? '', 'latin1'), uint32(0x10000))
	const tenc = box('tenc', Buffer.from([1, 0, 0, 0, 0, 0x19, 1, 0]), KEY, Buffer.from([16]), IV)
	const sinf = box('sinf', box('frma', Buffer.from(type)), ...(scheme ? [schm] : []), box('schi', tenc))
	return box(kind === 'vide' ? 'encv' : 'enca', body, sinf)
}

/** Keeps a clear sample entry before the encrypted one, as packagers do for a clear lead. */
export const declareClearLead = (bytes: Buffer, scheme: string): Buffer =>
	editBoxes(bytes, ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd'], (stsd) => {
		const [entry] = readBoxes(stsd.subarray(8))
		if (entry?.type !== 'avc1') return stsd
		const clear = stsd.subarray(8)
		return Buffer.concat([stsd.subarray(0, 4), uint32(2), clear, encryptedEntry(entry, 'vide', scheme)])
	})

/** Encrypts the slices of H.264 frames, by the pattern of `cbcs`. */
export async function encryptFrames(path: string): Promise<Buffer> {
	const bytes = await readFile(path)
	const entries = ['-select_streams', 'v', '-show_entries', 'packet=pos,size', '-of', 'csv=p=0', path]
	const { stdout } = await execa(programs.ffprobe, ['-v', 'error', ...entries])
	for (const line of stdout.split('\n')) {
		const [size = 0, position = 0] = line.split(',').map(Number)
		for (let at = position; at < position + size; ) {
			const length = bytes.readUInt32BE(at)
			const cipher = createCipheriv('aes-128-cbc', KEY, IV).setAutoPadding(false)
			for (let from = at + 4 + CLEAR_BYTES; from + BLOCK <= at + 4 + length; from += PATTERN * BLOCK)
				cipher.update(bytes.subarray(from, from + BLOCK)).copy(bytes, from)
			at += 4 + length
		}
	}
	return bytes
}

const CENC = [
	...['-encryption_scheme', 'cenc-aes-ctr', '-encryption_key', KEY.toString('hex')],
	...['-encryption_kid', 'a7e61c373e219033c21091fa607bf3b8'],
]
const codecs: readonly Recipe[] = [
	{ name: 'cenc-h264.mp4', args: CENC },
	{ name: 'cenc-hevc.mp4', args: ['-c:v', 'libx265', '-tag:v', 'hvc1', ...CENC] },
	{ name: 'cenc-av1.mp4', args: ['-c:v', 'libsvtav1', '-preset', '12', ...CENC] },
	{ name: 'cenc-aac.m4a', args: ['-vn', ...CENC] },
	{ name: 'cenc-fragments.mp4', args: [...CENC, '-movflags', 'frag_keyframe+empty_moov'] },
]

/** Writes MP4s that ffmpeg encrypted, of each codec. */
export const makeCenc = (dir: string): Promise<HostileFile[]> =>
	Promise.all(
		codecs.map(async (recipe) => ({
			label: recipe.name,
			path: await makeVideo(dir, { size: '160x90', seconds: 1, ...recipe }),
		})),
	)

/** Writes a video whose frames are encrypted and whose heads decoders can read. */
export async function makeNoise(dir: string): Promise<HostileFile> {
	const clear = await makeVideo(dir, { name: 'noise-source.mp4', sound: false })
	const path = join(dir, 'noise-cbcs.mp4')
	await writeFile(path, declareEncrypted(await encryptFrames(clear), 'vide', 'cbcs'))
	return { label: 'cbcs with readable heads', path }
}

/** Sets the scrambling bits of these PIDs, and replaces what the packets contain. */
export function scramble(stream: Buffer, pids: readonly number[], share = 1): Buffer {
	const bytes = Buffer.from(stream)
	for (let at = 0; at < bytes.length * share; at += 188) {
		const control = bytes.readUInt8(at + 3)
		if (!pids.includes(bytes.readUInt16BE(at + 1) & 0x1fff) || (control & 0x10) === 0) continue
		const from = at + ((control & 0x20) === 0 ? 4 : 5 + bytes.readUInt8(at + 4))
		bytes.writeUInt8(control | 0x80, at + 3)
		const cipher = createCipheriv('aes-128-ctr', KEY, IV)
		cipher.update(bytes.subarray(from, at + 188)).copy(bytes, from)
	}
	return bytes
}

/** Announces the streams of a transport stream as HLS does for SAMPLE-AES. */
export function announceSampleAes(stream: Buffer): Buffer {
	const bytes = Buffer.from(stream)
	const types: Readonly<Record<number, number>> = { 27: 0xdb, 15: 0xcf }
	for (let at = 0; at < bytes.length; at += 188) {
		if ((bytes.readUInt16BE(at + 1) & 0x5fff) !== (0x4000 | PROGRAM_MAP)) continue
		const section = at + 5 + bytes.readUInt8(at + 4)
		const end = section + 3 + (bytes.readUInt16BE(section + 1) & 0xfff) - 4
		let entry = section + 12 + (bytes.readUInt16BE(section + 10) & 0xfff)
		for (; entry < end; entry += 5 + (bytes.readUInt16BE(entry + 3) & 0xfff))
			bytes.writeUInt8(types[bytes.readUInt8(entry)] ?? bytes.readUInt8(entry), entry)
		bytes.writeUInt32BE(mpegChecksum(bytes.subarray(section, end)), end)
	}
	return bytes
}

const PROGRAM_MAP = 0x1000

function mpegChecksum(bytes: Buffer): number {
	let sum = 0xffffffff
	for (const byte of bytes) {
		sum ^= byte << 24
		for (let bit = 0; bit < 8; bit++) sum = (sum << 1) ^ (sum < 0 || sum & 0x80000000 ? 0x04c11db7 : 0)
	}
	return sum >>> 0
}

function uint32(value: number): Buffer {
	const bytes = Buffer.alloc(4)
	bytes.writeUInt32BE(value)
	return bytes
}
