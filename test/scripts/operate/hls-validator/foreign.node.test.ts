import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Init, readInit } from '../../../../scripts/operate/hls-validator/init-segment.ts'
import { validatePresentation } from '../../../../scripts/operate/hls-validator/validate.ts'
import { findPrograms } from '../../../../transcoder-daemon/ffmpeg/binary.ts'
import { run } from '../../../support/shared/made-presentation.ts'
import { needs } from '../../../support/shared/needs.ts'

const programs = await findPrograms(process.env)

const encoders = programs ? (await execa(programs.ffmpeg, ['-hide_banner', '-encoders'])).stdout : ''
const lacks = (encoder: string): boolean => !encoders.includes(` ${encoder} `)

let directory: string
beforeAll(async () => {
	directory = await mkdtemp(join(tmpdir(), 'playhouse-hls-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const ffmpeg = (...args: string[]) => run(programs?.ffmpeg ?? 'ffmpeg', args)
const picture = '-f lavfi -i testsrc2=s=320x240:r=25:d=9'.split(' ')
const tone = '-f lavfi -i sine=r=48000:d=9'.split(' ')

describe('presentations of other software', needs({ ffmpeg: programs }), () => {
	const sections = async (path: string, level?: string) => {
		const { findings } = await validatePresentation(path)
		return [
			...new Set(findings.filter((each) => !level || each.level === level).map(({ section }) => section)),
		]
	}

	test.each(['mpegts', 'fmp4'])(
		'presentations of ffmpeg’s HLS muxer in %s break only rules that it ignores',
		async (type) => {
			const playlist = join(directory, `${type}-%v.m3u8`)
			await ffmpeg(
				...[...picture, ...tone, '-map', '0:v', '-map', '1:a', '-c:v', 'libx264', '-preset', 'ultrafast'],
				...['-g', '50', '-sc_threshold', '0', '-c:a', 'aac', '-ac', '2', '-f', 'hls', '-hls_time', '4'],
				...['-hls_segment_type', type, '-hls_playlist_type', 'vod', '-master_pl_name', `${type}.m3u8`],
				...['-var_stream_map', 'v:0,a:0', '-hls_fmp4_init_filename', 'init.mp4', playlist],
			)
			const broken = await sections(join(directory, `${type}.m3u8`), 'MUST')
			// The muxer writes no I-frame playlist, average, frame rate or independent segments.
			expect(broken).toEqual(expect.arrayContaining(['6.1', '9.14', '9.15']))
			for (const fulfilled of [
				'RFC 8216 reach',
				'1.2',
				'1.3',
				'1.5',
				'2.3',
				'7.3',
				'7.4',
				'8.1',
				'8.6',
				'8.20',
			])
				expect(broken).not.toContain(fulfilled)
			const { notes } = await validatePresentation(join(directory, `${type}.m3u8`))
			expect(notes.some((note) => note.includes('MPEG-TS'))).toBe(type === 'mpegts')
		},
	)
})

/** Encoders and arguments; ffmpeg writes the codec names into a DASH manifest. */
const samples: [encoder: string, args: string[]][] = [
	['libx264', ['-profile:v', 'high', '-level', '3.1']],
	['libx264', ['-profile:v', 'baseline', '-pix_fmt', 'yuv420p']],
	['libsvtav1', ['-preset', '12']],
	['aac', ['-ac', '2']],
	['libopus', ['-strict', '-2']],
	['flac', ['-strict', '-2']],
	['ac3', []],
]

describe('init segments', needs({ ffmpeg: programs }), () => {
	const inits = async (args: string[]): Promise<{ init: Init; codecName: string | undefined }> => {
		const dir = await mkdtemp(join(directory, 'dash-'))
		await ffmpeg(...args, '-t', '1', '-f', 'dash', '-dash_segment_type', 'mp4', join(dir, 'x.mpd'))
		const manifest = await readFile(join(dir, 'x.mpd'), 'utf8')
		const name = (await readdir(dir)).find((each) => each.startsWith('init')) ?? ''
		return {
			init: readInit(await readFile(join(dir, name))),
			codecName: /codecs="([^"]+)"/.exec(manifest)?.[1],
		}
	}

	test.for(samples)(
		'init segments of %s %j have the codec name that ffmpeg gives them',
		async ([encoder, args], { skip }) => {
			if (lacks(encoder)) skip(`this ffmpeg has no ${encoder}`)
			const isPicture = encoder.startsWith('lib') && encoder !== 'libopus'
			const input = isPicture ? [...picture, '-c:v', encoder] : [...tone, '-c:a', encoder]
			const { init, codecName } = await inits([...input, ...args])
			const [track] = init.tracks
			expect(codecName?.toLowerCase().startsWith(track?.codec.toLowerCase() ?? '?')).toBe(true)
			if (isPicture) expect(track).toMatchObject({ kind: 'video', width: 320, height: 240 })
			else expect(track).toMatchObject({ kind: 'audio', timescale: 48_000 })
		},
	)

	test('init segments of HEVC have profile, tier and level', async ({ skip }) => {
		if (lacks('libx265')) skip('this ffmpeg has no libx265')
		const params = 'level-idc=4.1:high-tier=0:log-level=none'
		const hevc = ['-c:v', 'libx265', '-preset', 'ultrafast', '-tag:v', 'hvc1', '-x265-params', params]
		const { init } = await inits([...picture, ...hevc])
		expect(init.tracks[0]?.codec).toMatch(/^hvc1\.1\.6\.L123\.90$/)
		expect(init.tracks[0]?.isInterlaced).toBe(false)
	})

	test('init segments describe interlacing and colors', async () => {
		const bt709 = '-color_primaries bt709 -color_trc bt709 -colorspace bt709'.split(' ')
		const plain = await inits([...picture, '-c:v', 'libx264', ...bt709])
		expect(plain.init.tracks[0]).toMatchObject({ isInterlaced: false, color: '1/1/1' })
		const fields = ['-flags', '+ildct+ilme', '-x264-params', 'tff=1']
		const interlaced = await inits([...picture, '-c:v', 'libx264', ...fields])
		expect(interlaced.init.tracks[0]?.isInterlaced).toBe(true)
	})
})
