import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ffmpeg, makeVideo, type Recipe } from './make-video.ts'

export type Hostile = { what: string; path: string }

/** What a file may try to make a machine read besides itself. */
export type Bait = { file: string; url: string }

/** Scripts and playlists under the name of a video. */
export async function writeLures(dir: string, { file, url }: Bait): Promise<Hostile[]> {
	const hls = (target: string) =>
		`#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:4,\n${target}\n#EXT-X-ENDLIST\n`
	const dash = (target: string) =>
		`<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT4S" profiles="urn:mpeg:dash:profile:isoff-main:2011"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>${target}</BaseURL></Representation></AdaptationSet></Period></MPD>`
	const texts = {
		'playlist of a file': hls(`file://${file}`),
		'playlist of a path': hls(file),
		'playlist of an address': hls(url),
		'playlist of two joined': hls(`concat:${file}|${url}`),
		'playlist with a key': `#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="${url}"\n${hls(file)}`,
		'master playlist': `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${url}\n`,
		'DASH of a file': dash(`file://${file}`),
		'DASH of an address': dash(url),
		'list to be joined': `ffconcat version 1.0\nfile '${file}'\n`,
		'list to be joined, of an address': `ffconcat version 1.0\nfile '${url}'\n`,
		'description of a session': `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video ${new URL(url).port} RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
		'picture that names others': `<svg xmlns="http://www.w3.org/2000/svg"><image href="${url}"/></svg>`,
		subtitles: `[Script Info]\nScriptType: v4.00+\n[Events]\nDialogue: 0,0:00:00.00,0:00:05.00,Default,,0,0,0,,x\n`,
		'MSF list': `<?xml version="1.0"?><playlist><track><location>${url}</location></track></playlist>`,
	}
	return Promise.all(
		Object.entries(texts).map(async ([what, text], index) => {
			const path = join(dir, `lure-${index}.mp4`)
			await writeFile(path, text)
			return { what, path }
		}),
	)
}

export async function writeBombs(dir: string): Promise<Hostile[]> {
	const bombs: Hostile[] = []
	const add = (what: string, name: string) => {
		const path = join(dir, name)
		bombs.push({ what, path })
		return path
	}
	await writeFile(add('no bytes', 'empty.mp4'), '')
	await writeFile(add('one byte', 'one.mp4'), 'x')
	await writeFile(add('zeros', 'zeros.mp4'), Buffer.alloc(1_000_000))
	await writeFile(add('noise', 'noise.mp4'), noise(1_000_000, 1))
	await writeFile(
		add('noise behind the head of an MP4', 'noisy.mp4'),
		Buffer.concat([ftyp, noise(300_000, 2)]),
	)
	await writeFile(
		add('noise behind the head of a Matroska', 'noisy.mkv'),
		Buffer.concat([ebml, noise(300_000, 3)]),
	)
	await writeFile(
		add('a thousand boxes, one in another', 'nested.mp4'),
		Buffer.concat([ftyp, nest('moov', 'trak', 1_000)]),
	)
	await writeFile(add('a table of four thousand million entries', 'table.mp4'), await claim(dir, 'stsz', 12))
	await writeFile(add('frames of a year each', 'steps.mp4'), await claim(dir, 'stts', 12))
	await makeVideo(dir, { name: 'bomb.mp4', size: '8192x8192', seconds: 0.2, sound: false })
	add('67 million pixels', 'bomb.mp4')
	const many = Array.from({ length: 500 }, () => ['-map', '0:a']).flat()
	const tone = ['-f', 'lavfi', '-i', 'sine=duration=0.2']
	await ffmpeg(...tone, ...many, '-c:a', 'pcm_s16le', add('500 tracks', 'tracks.mov'))
	await ffmpeg(...tone, ...many, '-c:a', 'pcm_s16le', add('500 tracks of Matroska', 'tracks.mkv'))
	return bombs
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

/** Half of what there is, and a little more and less than all. */
export async function cut(path: string, shares: readonly number[]): Promise<Hostile[]> {
	const bytes = await readFile(path)
	return Promise.all(
		shares.map(async (share) => {
			const file = `${path}.${share}`
			await writeFile(file, bytes.subarray(0, Math.max(1, Math.floor(bytes.length * share))))
			return { what: `${path.split('/').at(-1)}, ${Math.round(share * 1_000) / 10} % of it`, path: file }
		}),
	)
}

/** The same seed, the same damage. */
export async function flip(path: string, seed: number): Promise<Hostile> {
	const bytes = await readFile(path)
	const random = randomOf(seed)
	// Heads are where it hurts: half of the damage goes there.
	for (let hit = 0; hit < 1 + (seed % 20); hit++) {
		const reach = hit % 2 === 0 ? Math.min(4_096, bytes.length) : bytes.length
		const at = Math.floor(random() * reach)
		bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at)
	}
	const file = `${path}.flip-${seed}`
	await writeFile(file, bytes)
	return { what: `${path.split('/').at(-1)}, damaged (${seed})`, path: file }
}

const ftyp = Buffer.from('\0\0\0\x14ftypisom\0\0\x02\0isom', 'latin1')
const ebml = Buffer.from(
	'1a45dfa39342868101428781044285810242828477656 26d18538067'.replaceAll(' ', ''),
	'hex',
)

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

/** A sound file of which one number is as large as it can be. */
export async function claim(dir: string, box: string, offset: number): Promise<Buffer> {
	const bytes = await readFile(await makeVideo(dir, { name: `claim-${box}.mp4`, size: '160x90', seconds: 1 }))
	bytes.writeUInt32BE(0xfffffff0, bytes.indexOf(box) + 4 + offset - (box === 'stsz' ? 4 : 0))
	return bytes
}

function randomOf(seed: number): () => number {
	let state = seed >>> 0
	return () => {
		state = (state + 0x6d2b79f5) >>> 0
		let mixed = Math.imul(state ^ (state >>> 15), state | 1)
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
	}
}

function noise(bytes: number, seed: number): Buffer {
	const random = randomOf(seed)
	return Buffer.from(Array.from({ length: bytes }, () => Math.floor(random() * 256)))
}
