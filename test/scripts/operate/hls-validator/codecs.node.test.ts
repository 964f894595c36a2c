import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readInit } from '../../../../scripts/operate/hls-validator/init-segment.ts'
import { type Report, validatePresentation } from '../../../../scripts/operate/hls-validator/validate.ts'
import { findPrograms } from '../../../../transcoder-daemon/ffmpeg/binary.ts'
import { type Files, findFirstSample, makePresentation } from '../../../support/shared/made-presentation.ts'
import { needs } from '../../../support/shared/needs.ts'
import { Served } from './served.ts'

const programs = await findPrograms(process.env)

let directory: string
let files: Files
beforeAll(async () => {
	if (!programs) return
	directory = await mkdtemp(join(tmpdir(), 'playhouse-hls-'))
	files = await makePresentation(programs.ffmpeg, directory, ['h264', 'hevc', 'av1'], 12)
})
afterAll(async () => {
	if (directory) await rm(directory, { recursive: true, force: true })
})

const master = 'master.m3u8'
const inMaster = (from: string | RegExp, to: string) => (served: Served) =>
	served.edit(master, (text) => text.replace(from, to))
const firstSample = (pattern: RegExp, change: (sample: Buffer) => void) => (served: Served) =>
	served.patch(pattern, (bytes) => {
		const { start, end } = findFirstSample(bytes)
		change(bytes.subarray(start, end))
		return undefined
	})

/** Returns the offsets of an AV1 OBU of a type and of its payload. All OBUs have a size field. */
function unitOf(sample: Buffer, unitType: number): { head: number; body: number } {
	for (let at = 0; at < sample.length; ) {
		const head = at
		const type = ((sample[at] ?? 0) >> 3) & 15
		let size = 0
		at++
		for (let shift = 0; ; shift += 7) {
			const byte = sample[at++] ?? 0
			size += (byte & 127) << shift
			if (byte < 128) break
		}
		if (type === unitType) return { head, body: at }
		at += size
	}
	throw new Error(`no unit of type ${unitType}`)
}
const [SEQUENCE, FRAME, PADDING] = [1, 6, 15]

const faults: [section: string, fault: string, inject: (served: Served) => unknown][] = [
	['9.2', 'a wrong AV1 level', inMaster(/av01\.0\.\d\dM/, 'av01.0.19M')],
	['9.2', 'a wrong HEVC tier', inMaster(/(hvc1\.1\.6\.)L/, '$1H')],
	['9.2', 'AV1 that is declared as HEVC', inMaster(/av01\.[\w.]+/, 'hvc1.1.6.L63.90')],
	[
		'1.10',
		'HEVC parameter sets in samples',
		(served) =>
			served.patch(/hevc.*init/, (bytes) => {
				bytes.write('hev1', bytes.indexOf('hvc1', bytes.indexOf('stsd')))
				return undefined
			}),
	],
	[
		'7.4',
		'AV1 that does not begin with a key frame, despite its flags',
		firstSample(/av1.*\/1\.m4s/, (sample) => {
			const { body } = unitOf(sample, FRAME)
			sample[body] = (sample[body] ?? 0) | 0x20
		}),
	],
	[
		'7.4',
		'AV1 whose key frame is not shown',
		firstSample(/av1.*\/1\.m4s/, (sample) => {
			const { body } = unitOf(sample, FRAME)
			sample[body] = (sample[body] ?? 0) & ~0x10
		}),
	],
	[
		'7.4',
		'AV1 without sequence header',
		firstSample(/av1.*\/1\.m4s/, (sample) => {
			sample[unitOf(sample, SEQUENCE).head] = (PADDING << 3) | 2
		}),
	],
	[
		'7.4',
		'HEVC that does not begin with an IDR frame',
		firstSample(/hevc.*\/1\.m4s/, (sample) => {
			for (let at = 0; at < sample.length; at += 4 + sample.readUInt32BE(at))
				if ((sample[at + 4] ?? 0) >> 1 < 32) sample[at + 4] = 1 << 1
		}),
	],
	['6.1a', 'no I-frame playlist for AV1', inMaster(/#EXT-X-I-FRAME.*av01.*\n/g, '')],
	[
		'8.22',
		'AV1 with a missing segment',
		(served) =>
			served.edit('av1-360p.m3u8', (text) => text.replace(/#EXTINF.*\n.*\n#EXT-X-ENDLIST/, '#EXT-X-ENDLIST')),
	],
	[
		'1.5',
		'AV1 in MPEG-TS',
		(served) => {
			for (const name of served.names(/av1.*\d\.m4s/)) served.files.set(name, Buffer.alloc(376, 0x47))
		},
	],
	[
		'8.20',
		'AV1 without init segment',
		(served) => served.edit('av1-360p.m3u8', (text) => text.replace(/#EXT-X-MAP.*\n/, '')),
	],
	['1.6', 'HEVC of level 6.2', inMaster(/hvc1[\w.]+/, 'hvc1.2.4.L186.B0')],
	[
		'1.12',
		'no H.264',
		(served) =>
			served.edit(master, (text) => text.replaceAll(/#EXT-X-(I-FRAME-)?STREAM.*avc1.*\n(h264.*\n)?/g, '')),
	],
]

const validate = (served: Served): Promise<Report> =>
	validatePresentation(served.address, { fetch: served.fetch })
const sectionsOf = ({ findings }: Report) => [...new Set(findings.map(({ section }) => section))].sort()

describe('H.264, HEVC and AV1 in one presentation', needs({ ffmpeg: programs }), () => {
	test('a presentation in three codecs breaks no MUST rule, and only the intended SHOULD rules', async () => {
		const report = await validate(new Served(files))
		expect(report.findings.filter(({ level }) => level === 'MUST')).toEqual([])
		expect(sectionsOf(report)).toEqual(['1.13', '6.2', '7.5'])
		expect(report).toMatchObject({ isValid: true, streams: 9 })
	})

	test('each rendition of three codecs has the CODECS of its init segment', () => {
		const text = new TextDecoder().decode(files.get(master))
		for (const rung of ['h264-360p', 'hevc-360p', 'av1-360p']) {
			const [, codecs] = new RegExp(`CODECS="([^",]+)[^\n]*\n${rung}.m3u8`).exec(text) ?? []
			const init = files.get([...files.keys()].find((name) => name.includes(`${rung}/init`)) ?? '')
			expect(codecs).toMatch(/^(avc1\.64|hvc1\.1\.6\.L|av01\.0\.\d\dM\.08)/)
			expect(init && readInit(init).tracks[0]?.codec).toBe(codecs)
		}
	})

	test.each(faults)(
		'a presentation in three codecs breaks rule %s with this fault: %s',
		async (section, _, inject) => {
			const served = new Served(files)
			inject(served)
			expect(sectionsOf(await validate(served))).toContain(section)
		},
	)
})
