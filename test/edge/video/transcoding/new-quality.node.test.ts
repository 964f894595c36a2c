import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findCountedQuality, parseQuality, qualities } from '#schema/contract/video/quality.ts'
import { Rung } from '#schema/contract/video/tasks.ts'
import { viewDelivery } from '../../../../edge/accounts/orgs/usage/view.ts'
import { planLadder, planRung } from '../../../../edge/video/transcoding/plan/ladder.ts'
import { parseSegmentPath } from '../../../../edge/watch/playback/segment-path.ts'
import { validatePresentation } from '../../../../scripts/operate/hls-validator/validate.ts'
import { findPrograms } from '../../../../transcoder-daemon/ffmpeg/binary.ts'
import { Served } from '../../../scripts/operate/hls-validator/served.ts'
import { makePresentation } from '../../../support/shared/made-presentation.ts'
import { needs } from '../../../support/shared/needs.ts'

const programs = await findPrograms(process.env)
const size = { width: 1280, height: 720 }
const at60 = { num: 60, den: 1 }
const at30 = { num: 30, den: 1 }
const slow = { name: '342p', maxKbps: 1_000, fastMaxKbps: 1_400 }
const fast = { name: '342p60', maxKbps: 1_500, fastMaxKbps: 1_500 }
const isLower = ({ name }: { name: string }) => (parseQuality(name)?.lines ?? 0) < 342
/** The qualities with two more, which only the list has to name. Their height is nobody's, so that any may become real. */
const extended = [
	...qualities.filter(isLower),
	slow,
	fast,
	...qualities.filter((quality) => !isLower(quality)),
]

test('an added quality 342p60 is planned for fast sources alone, in place of 342p', () => {
	for (const [fps, { name }] of [
		[at60, fast],
		[at30, slow],
	] as const) {
		const others = planLadder(size, fps).map(({ quality }) => ({ name: quality }))
		const expected = [...others.filter((other) => !isLower(other)), { name }, ...others.filter(isLower)]
		expect(planLadder(size, fps, extended).map(({ quality }) => ({ name: quality }))).toEqual(expected)
	}
	const step = { quality: '342p60', width: 608, height: 342 }
	const rung = planRung(step, at60, 'h264', 'libx264', extended)
	expect(rung).toMatchObject({ id: 'h264-342p60', maxKbps: 1_500 })
	expect(Rung.parse(rung)).toEqual(rung)
})

test('an added quality 342p60 is counted and reported as itself, and without a plan as the next higher one', () => {
	expect(findCountedQuality('342p60', extended)).toBe('342p60')
	expect(['342p60', '361p60', '9999p', 'unknown'].map((name) => findCountedQuality(name))).toEqual([
		'360p',
		'480p',
		qualities.at(-1)?.name,
		'other',
	])
	const minutes = { '720p': 60_000, '342p60': 120_000, other: 60_000 }
	const served = { public: minutes, signed: {} }
	const { total, public: shown } = viewDelivery({ served, reported: { public: {}, signed: {} } })
	expect(total).toBe(4)
	expect(shown).toEqual([
		{ quality: '342p60', minutes: 2 },
		{ quality: '720p', minutes: 1 },
		{ quality: 'other', minutes: 1 },
	])
})

test(
	'an added quality 342p60 is in the playlists, its segments name it, and the presentation is valid',
	needs({ ffmpeg: programs }),
	async () => {
		const directory = await mkdtemp(join(tmpdir(), 'playhouse-quality-'))
		onTestFinished(() => rm(directory, { recursive: true, force: true }))
		const source = { frameRate: { num: 60, den: 1 }, qualities: extended }
		const files = await makePresentation(programs?.ffmpeg ?? '', directory, ['h264'], 6, source)
		const served = new Served(files)
		expect(served.text('master.m3u8')).toMatch(/RESOLUTION=640x360,FRAME-RATE=60\.000.*\nh264-342p60\.m3u8\n/)
		const segments = served.text('h264-342p60.m3u8').match(/^.*\.m4s$/gm) ?? []
		expect(segments.length).toBeGreaterThan(1)
		for (const path of segments)
			expect(parseSegmentPath(path)?.quality).toEqual({ name: '342p60', lines: 342, fps: 60 })
		const report = await validatePresentation(served.address, { fetch: served.fetch })
		expect(report.findings.filter(({ level }) => level === 'MUST')).toEqual([])
		expect(report.isValid).toBe(true)
	},
)
