import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { randomFrom } from '../../support/shared/random.ts'
import { ffmpeg, makeVideo, type Recipe } from './make-video.ts'

export type HostileFile = { label: string; path: string }

/** Targets that a hostile file may try to make a machine read. */
export type Bait = { file: string; url: string }

/** Writes scripts and playlists with the name of a video. */
export async function writeLures(dir: string, { file, url }: Bait): Promise<HostileFile[]> {
	const hls = (target: string) =>
		`#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:4,\n${target}\n#EXT-X-ENDLIST\n`
	const dash = (target: string) =>
		`<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT4S" profiles="urn:mpeg:dash:profile:isoff-main:2011"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>${target}</BaseURL></Representation></AdaptationSet></Period></MPD>`
	const texts = {
		'playlist of a file': hls(`file://${file}`),
		'playlist of a path': hls(file),
		'playlist of an address': hls(url),
		'playlist of a concat URL': hls(`concat:${file}|${url}`),
		'playlist with a key': `#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="${url}"\n${hls(file)}`,
		'master playlist': `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${url}\n`,
		'DASH of a file': dash(`file://${file}`),
		'DASH of an address': dash(url),
		'concat list': `ffconcat version 1.0\nfile '${file}'\n`,
		'concat list of an address': `ffconcat version 1.0\nfile '${url}'\n`,
		'session description': `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video ${new URL(url).port} RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
		'image that refers to another': `<svg xmlns="http://www.w3.org/2000/svg"><image href="${url}"/></svg>`,
		subtitles: `[Script Info]\nScriptType: v4.00+\n[Events]\nDialogue: 0,0:00:00.00,0:00:05.00,Default,,0,0,0,,x\n`,
		'MSF list': `<?xml version="1.0"?><playlist><track><location>${url}</location></track></playlist>`,
	}
	return Promise.all(
		Object.entries(texts).map(async ([label, text], index) => {
			const path = join(dir, `lure-${index}.mp4`)
			await writeFile(path, text)
			return { label, path }
		}),
	)
}

export async function writeBombs(dir: string): Promise<HostileFile[]> {
	const bombs: HostileFile[] = []
	const add = (label: string, name: string) => {
		const path = join(dir, name)
		bombs.push({ label, path })
		return path
	}
	await writeFile(add('no bytes', 'empty.mp4'), '')
	await writeFile(add('one byte', 'one.mp4'), 'x')
	await writeFile(add('zeros', 'zeros.mp4'), Buffer.alloc(1_000_000))
	await writeFile(add('noise', 'noise.mp4'), noise(1_000_000, 1))
	await writeFile(add('noise after an MP4 header', 'noisy.mp4'), Buffer.concat([ftyp, noise(300_000, 2)]))
	await writeFile(add('noise after a Matroska header', 'noisy.mkv'), Buffer.concat([ebml, noise(300_000, 3)]))
	await writeFile(
		add('a thousand nested boxes', 'nested.mp4'),
		Buffer.concat([ftyp, nest('moov', 'trak', 1_000)]),
	)
	await writeFile(add('a table of four billion entries', 'table.mp4'), await withHugeNumber(dir, 'stsz', 12))
	await writeFile(add('frames of a year each', 'steps.mp4'), await withHugeNumber(dir, 'stts', 12))
	await makeVideo(dir, { name: 'bomb.mp4', size: '8192x8192', seconds: 0.2, sound: false })
	add('67 million pixels', 'bomb.mp4')
	const many = Array.from({ length: 500 }, () => ['-map', '0:a']).flat()
	const tone = ['-f', 'lavfi', '-i', 'sine=duration=0.2']
	await ffmpeg(...tone, ...many, '-c:a', 'pcm_s16le', add('500 tracks', 'tracks.mov'))
	await ffmpeg(...tone, ...many, '-c:a', 'pcm_s16le', add('500 tracks in Matroska', 'tracks.mkv'))
	return bombs
}

/** Writes frames of a hundred thousand pixels per side; the container does not declare their size. */
export async function writePixelBombs(dir: string): Promise<HostileFile[]> {
	const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=25:duration=0.2', '-c:v', 'png']
	return Promise.all(
		['mov', 'mkv', 'avi', 'png'].map(async (ending) => {
			const made = join(dir, `pixels.${ending}`)
			await ffmpeg(...picture, ...(ending === 'png' ? ['-frames:v', '1'] : []), made)
			const bytes = await readFile(made)
			for (let at = bytes.indexOf('IHDR'); at >= 0; at = bytes.indexOf('IHDR', at + 4)) {
				bytes.writeUInt32BE(100_000, at + 4)
				bytes.writeUInt32BE(100_000, at + 8)
				bytes.writeUInt32BE(crc32(bytes.subarray(at, at + 17)), at + 17)
			}
			// An image with the name of a video.
			const path = ending === 'png' ? join(dir, 'pixels-png.mp4') : made
			await writeFile(path, bytes)
			return { label: `PNG of 100,000 × 100,000 in .${ending}`, path }
		}),
	)
}

/** Writes videos of one pixel at a frame rate above that of any screen. */
export async function writeFrameBombs(dir: string): Promise<HostileFile[]> {
	const zeros = ['-f', 'rawvideo', '-pix_fmt', 'gray', '-s', '1x1', '-t', '2', '-i', '/dev/zero']
	const ends = { 'fast.mp4': ['-c:v', 'mpeg4', '-pix_fmt', 'yuv420p'], 'fast.mkv': ['-c:v', 'ffv1'] }
	const steady = Object.entries(ends).map(async ([name, args]) => {
		await ffmpeg(...zeros.toSpliced(6, 0, '-r', '10000'), ...args, join(dir, name))
		return { label: `1 × 1 at 10,000 frames a second: ${name}`, path: join(dir, name) }
	})
	const burst = join(dir, 'burst.mkv')
	const bursting = ['-vf', "setpts='if(lt(N,19990),N/19990,N-19989)/TB'", '-vsync', 'vfr', '-c:v', 'ffv1']
	await ffmpeg(...zeros.toSpliced(6, 0, '-r', '10000'), ...bursting, burst)
	return [...(await Promise.all(steady)), { label: '20,000 frames in the first of ten seconds', path: burst }]
}

/** Writes subtitles or audio compressed a thousandfold: 16 MB expand to 16 GB. */
export async function writeExpanding(dir: string): Promise<HostileFile[]> {
	const zipped = deflateSync(Buffer.alloc(8 * 1024 ** 2), { level: 9 })
	const zlib = element('6d80', element('6240', element('5034', element('4254', 0))))
	const sound = (id: number, ...more: Buffer[]) =>
		element(
			'ae',
			...[element('d7', id), element('73c5', id), element('83', 2), element('86', 'A_PCM/INT/LIT')],
			...[element('e1', element('b5', 48_000), element('9f', 1), element('6264', 16)), ...more],
		)
	const text = element(
		'ae',
		...[element('d7', 2), element('73c5', 2), element('83', 17), element('86', 'S_TEXT/UTF8'), zlib],
	)
	const block = (track: number, time: number, data: Buffer) =>
		element('a3', Buffer.from([0x80 | track, time >> 8, time & 0xff, 0x80]), data)
	const many = (track: number) => Array.from({ length: 2_000 }, (_, k) => block(track, k, zipped))
	const silence = block(1, 0, Buffer.alloc(9_600))
	const file = (tracks: readonly Buffer[], blocks: readonly Buffer[]) =>
		Buffer.concat([
			element('1a45dfa3', element('4282', 'matroska'), element('4287', 4), element('4285', 2)),
			element(
				'18538067',
				...[element('1549a966', element('2ad7b1', 1_000_000)), element('1654ae6b', ...tracks)],
				element('1f43b675', element('e7', 0), ...blocks),
			),
		])
	const files = {
		'subtitles of 16 GB in 16 MB': file([sound(1), text], [silence, ...many(2)]),
		'sound of 16 GB in 16 MB': file([sound(1, zlib)], many(1)),
	}
	return Promise.all(
		Object.entries(files).map(async ([label, bytes], index) => {
			const path = join(dir, `growing-${index}.mkv`)
			await writeFile(path, bytes)
			return { label, path }
		}),
	)
}

/** Writes files with more boxes than any real file has. */
export async function writeTinyBoxes(dir: string): Promise<HostileFile[]> {
	const video = await readFile(await makeVideo(dir, { name: 'few.mp4', size: '160x90', seconds: 1 }))
	const many = (count: number, tiny: Buffer) => Buffer.alloc(count * tiny.length, tiny)
	const files = {
		'100,000 boxes before the video': [ftyp, many(100_000, box('free')), video],
		'100,000 boxes after the video': [video, many(100_000, box('free'))],
		'5,000 empty fragments after the video': [video, many(5_000, box('moof', box('mfhd', Buffer.alloc(8))))],
		'100,000 boxes of metadata': [ftyp, box('moov', box('udta', many(100_000, box('free'))))],
		'100,000 tracks': [ftyp, box('moov', many(100_000, box('trak')))],
	}
	return Promise.all(
		Object.entries(files).map(async ([label, parts], index) => {
			const path = join(dir, `boxes-${index}.mp4`)
			await writeFile(path, Buffer.concat(parts))
			return { label, path }
		}),
	)
}

const TWO_GB = 2 * 1024 ** 3 - 4_096

/** Writes sparse files whose metadata is two gigabytes of zeros. */
export async function writeHugeMetadata(dir: string): Promise<HostileFile[]> {
	const sized = (bytes: Buffer, claimed: number): Buffer => {
		bytes.writeUInt32BE(claimed)
		return bytes
	}
	/** Returns nested boxes; each ends before its parent. */
	const nested = (...types: (string | Buffer)[]): Buffer[] =>
		types.map((type, depth) => (typeof type === 'string' ? sized(box(type), TWO_GB - 64 * depth) : type))
	const handler = box('hdlr', Buffer.from('\0\0\0\0\0\0\0\0mdirappl\0\0\0\0\0', 'latin1'))
	const jpeg = Buffer.from([0, 0, 0, 13, 0, 0, 0, 0])
	const files = {
		'free.mp4': [ftyp, ...nested('free')],
		'moov.mp4': [ftyp, ...nested('moov')],
		'name.mp4': [ftyp, ...nested('moov', 'udta', '\xa9nam')],
		'cover.mp4': [
			ftyp,
			...nested('moov', 'udta', 'meta', Buffer.alloc(4), handler, 'ilst', 'covr', 'data', jpeg),
		],
	}
	return Promise.all(
		Object.entries(files).map(async ([name, parts]) => {
			const path = join(dir, `huge-${name}`)
			await using file = await open(path, 'w')
			await file.writeFile(Buffer.concat(parts))
			await file.truncate(TWO_GB + 4_000)
			return { label: `2 GB of metadata: ${name}`, path }
		}),
	)
}

const containers: Recipe[] = [
	{ name: 'cut.mp4', args: ['-movflags', 'faststart'] },
	{ name: 'cut-behind.mp4' },
	{ name: 'cut-fragments.mp4', args: ['-movflags', 'frag_keyframe+empty_moov'] },
	{ name: 'cut.mov' },
	{ name: 'cut.mkv' },
	{ name: 'cut.webm', args: ['-c:v', 'libvpx', '-deadline', 'realtime'] },
	{ name: 'cut.ts' },
	{ name: 'cut.avi', args: ['-c:v', 'mpeg4'] },
	{ name: 'cut.flv', args: ['-ar', '44100'] },
]

export const makeContainers = (dir: string): Promise<string[]> =>
	Promise.all(containers.map((recipe) => makeVideo(dir, { size: '160x90', seconds: 2, ...recipe })))

/** Writes copies of the file that are truncated to these shares of its length. */
export async function truncateTo(path: string, shares: readonly number[]): Promise<HostileFile[]> {
	const bytes = await readFile(path)
	return Promise.all(
		shares.map(async (share) => {
			const file = `${path}.${share}`
			await writeFile(file, bytes.subarray(0, Math.max(1, Math.floor(bytes.length * share))))
			return { label: `${path.split('/').at(-1)}, ${Math.round(share * 1_000) / 10} % of it`, path: file }
		}),
	)
}

/** Writes a copy with random damage; the same seed causes the same damage. */
export async function damage(path: string, seed: number): Promise<HostileFile> {
	const bytes = await readFile(path)
	const random = randomFrom(seed)
	// Headers are the most sensitive part: half of the damage goes there.
	for (let hit = 0; hit < 1 + (seed % 20); hit++) {
		const reach = hit % 2 === 0 ? Math.min(4_096, bytes.length) : bytes.length
		const at = Math.floor(random() * reach)
		bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at)
	}
	const file = `${path}.damaged-${seed}`
	await writeFile(file, bytes)
	return { label: `${path.split('/').at(-1)}, damaged (${seed})`, path: file }
}

const ftyp = Buffer.from('\0\0\0\x14ftypisom\0\0\x02\0isom', 'latin1')
const ebml = Buffer.from(
	'1a45dfa39342868101428781044285810242828477656 26d18538067'.replaceAll(' ', ''),
	'hex',
)

export function box(type: string, ...parts: Buffer[]): Buffer {
	const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), ...parts])
	bytes.writeUInt32BE(bytes.length)
	return bytes
}

/** Returns a Matroska element with an eight-byte length. The sample rate (b5) is a floating-point number. */
export function element(id: string, ...parts: (Buffer | number | string)[]): Buffer {
	const body = Buffer.concat(
		parts.map((part) => {
			if (typeof part === 'string') return Buffer.from(part, 'latin1')
			if (typeof part !== 'number') return part
			const bytes = Buffer.alloc(8)
			if (id === 'b5') bytes.writeDoubleBE(part)
			else bytes.writeBigUInt64BE(BigInt(part))
			return bytes
		}),
	)
	const length = Buffer.alloc(8)
	length.writeBigUInt64BE(BigInt(body.length) | (1n << 56n))
	return Buffer.concat([Buffer.from(id, 'hex'), length, body])
}

function nest(outer: string, inner: string, depth: number): Buffer {
	let bytes: Buffer = Buffer.alloc(0)
	for (let level = 0; level < depth; level++) {
		const head = Buffer.alloc(8)
		head.writeUInt32BE(8 + bytes.length)
		head.write(level === depth - 1 ? outer : inner, 4, 'latin1')
		bytes = Buffer.concat([head, bytes])
	}
	return bytes
}

/** Returns a video with a huge value in one field of a box. */
export async function withHugeNumber(dir: string, box: string, offset: number): Promise<Buffer> {
	const bytes = await readFile(await makeVideo(dir, { name: `huge-${box}.mp4`, size: '160x90', seconds: 1 }))
	bytes.writeUInt32BE(0xfffffff0, bytes.indexOf(box) + 4 + offset - (box === 'stsz' ? 4 : 0))
	return bytes
}

function noise(bytes: number, seed: number): Buffer {
	const random = randomFrom(seed)
	return Buffer.from(Array.from({ length: bytes }, () => Math.floor(random() * 256)))
}
