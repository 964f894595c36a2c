import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allChecks } from '../../../../scripts/operate/hls-validator/rules/all.ts'
import { type Report, validatePresentation } from '../../../../scripts/operate/hls-validator/validate.ts'
import { findPrograms } from '../../../../transcoder-daemon/ffmpeg/binary.ts'
import { type Files, makePresentation, run } from '../../../support/shared/made-presentation.ts'
import { needs } from '../../../support/shared/needs.ts'
import { brokenPlaylists, iframes, invalidInits, large, master, small, sound } from './broken-playlists.ts'
import { brokenSubtitles, subtitles } from './broken-subtitles.ts'
import { Served } from './served.ts'

const programs = await findPrograms(process.env)

let directory: string
let files: Files
const picture = '-f lavfi -i testsrc2=s=64x64:r=25:d=0.2'.split(' ')
const tone = '-f lavfi -i sine=d=0.2'.split(' ')
const toInit = '-c:v libx264 -c:a aac -movflags +empty_moov+default_base_moof -f mp4 -y'.split(' ')

beforeAll(async () => {
	if (!programs) return
	directory = await mkdtemp(join(tmpdir(), 'playhouse-hls-'))
	const { ffmpeg } = programs
	files = await makePresentation(ffmpeg, directory)
	const make = async (args: string[]) => {
		const path = join(directory, 'odd.mp4')
		await run(ffmpeg, [...args, ...toInit, path])
		const bytes = await readFile(path)
		return bytes.subarray(0, bytes.indexOf('moof') - 4)
	}
	invalidInits.interlaced = await make([...picture, '-flags', '+ildct+ilme', '-x264-params', 'tff=1'])
	invalidInits.twoSounds = await make([...tone, '-map', '0:a', '-map', '0:a'])
	invalidInits.both = await make([...picture, ...tone])
})
afterAll(async () => {
	if (directory) await rm(directory, { recursive: true, force: true })
})

const validate = (served: Served): Promise<Report> =>
	validatePresentation(served.address, { fetch: served.fetch })
const sectionsOf = ({ findings }: Report) => [...new Set(findings.map(({ section }) => section))].sort()

const faults = [...brokenPlaylists, ...brokenSubtitles]

describe('a presentation that ffmpeg encoded and the edge published', needs({ ffmpeg: programs }), () => {
	test('a published presentation breaks no MUST rule, and only the intended SHOULD rules', async () => {
		const report = await validate(new Served(files))
		expect(report.findings.filter(({ level }) => level === 'MUST')).toEqual([])
		expect(sectionsOf(report)).toEqual(['1.13', '6.2', '7.5'])
		expect(report).toMatchObject({ isValid: true, streams: 5, notes: [] })
	})

	test('chunks of different ffmpeg runs have the same init segment', () => {
		for (const rung of ['h264-360p', 'h264-240p']) {
			const [first, second] = ['video0-1', 'video1-1'].map((folder) =>
				files.get(`${folder}/${rung}/init.mp4`),
			)
			expect(second).toEqual(first)
		}
	})

	test('a published presentation stays valid with subtitles', async () => {
		const served = new Served(files)
		subtitles(served)
		expect(sectionsOf(await validate(served))).toEqual(['1.13', '6.2', '7.5'])
	})

	test.each(faults)(
		'a published presentation breaks rule %s with this fault: %s',
		async (section, _, inject) => {
			const served = new Served(files)
			inject(served)
			const report = await validate(served)
			expect(sectionsOf(report)).toContain(section)
			const level = allChecks.find((check) => check.section === section)?.level
			if (level === 'MUST') expect(report.isValid).toBe(false)
		},
	)

	test('a presentation with random corrupt bytes is rejected without an exception', async () => {
		let seed = 99
		const random = (below: number) => {
			seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
			return Math.floor((seed / 2 ** 31) * below)
		}
		const names = [...files.keys()].filter((name) => /init|0\.m4s|m3u8/.test(name) && name !== master)
		for (let run = 0; run < 60; run++) {
			const served = new Served(files)
			for (const name of names) {
				const bytes = Buffer.from(files.get(name) ?? [])
				// Corrupt headers are the hardest to parse.
				for (let k = 0; k < 4; k++) bytes[random(Math.min(bytes.length, 1_200))] = random(256)
				served.files.set(name, random(8) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes)
			}
			expect((await validate(served)).isValid).toBe(false)
		}
	})

	test('a published presentation breaks none of 1.13, 6.2 and 7.5 if they are fulfilled', async () => {
		const served = new Served(files)
		const lists = [large, small, sound, iframes, 'h264-240p-iframes.m3u8']
		for (const name of lists) served.edit(name, (text) => text.replace('DURATION:4', 'DURATION:6'))
		served.editAll(/iframes/, (text) => text.replaceAll(/#EXTINF:[\d.]+/g, '#EXTINF:1'))
		// Default sample flags: all samples are key frames.
		served.patch(/h264.*\d\.m4s/, (bytes) => {
			const plain = Buffer.from([1, 1, 0, 0])
			Buffer.from([2, 0, 0, 0]).copy(bytes, bytes.indexOf(plain, bytes.indexOf('tfhd')))
		})
		const sections = sectionsOf(await validate(served))
		for (const section of ['1.13', '6.2', '7.5']) expect(sections).not.toContain(section)
	})
})

test('every check has a broken playlist, and each of the 25 rules has a check', () => {
	const sections = new Set(faults.map(([section]) => section))
	expect(allChecks.map(({ section }) => section).filter((section) => !sections.has(section))).toEqual([])
	const rules = new Set(allChecks.map(({ rule }) => rule))
	expect([...rules].sort((a, b) => a - b)).toEqual(Array.from({ length: 26 }, (_, k) => k))
})
