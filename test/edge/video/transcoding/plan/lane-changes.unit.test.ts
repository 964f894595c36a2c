import { describe, expect, it } from 'vitest'
import { listLanesToChange } from '../../../../../edge/video/transcoding/plan/lane-changes.ts'
import { toLane } from '../../../../../edge/video/transcoding/plan/lanes.ts'

const MINUTE = 60_000
const NOW = 1_000 * MINUTE

const lane = (...encoders: string[]) => ({ orgId: 'o', lane: encoders.join(), encoders })
const machine = (secondsAgo: number, ...encoders: string[]) => ({
	lastSeenAt: NOW - secondsAgo * 1_000,
	encoders,
})
const changes = (lanes: ReturnType<typeof lane>[], machines: ReturnType<typeof machine>[]) =>
	listLanesToChange(lanes, machines, NOW).map(({ lane, what, before }) => [lane, what, NOW - before])

describe('listLanesToChange', () => {
	it('listLanesToChange leaves lanes unchanged that need only the default encoder or have a machine', () => {
		const lanes = [lane(), lane('libx264'), lane('h264_nvenc'), lane('libx264', 'libx265')]
		expect(changes(lanes, [machine(60, 'libx264', 'libx265', 'h264_nvenc')])).toEqual([])
	})

	it('listLanesToChange selects software if no machine with the hardware was seen for 2 minutes', () => {
		expect(changes([lane('h264_nvenc')], [machine(119, 'h264_nvenc')])).toEqual([])
		expect(changes([lane('h264_nvenc')], [machine(121, 'h264_nvenc')])).toEqual([
			['h264_nvenc', 'use-software', 0],
		])
		expect(changes([lane('h264_nvenc')], [])).toEqual([['h264_nvenc', 'use-software', 0]])
	})

	it('listLanesToChange leaves out a software codec without a machine in a day, in jobs over 10 minutes', () => {
		expect(changes([lane('libsvtav1')], [machine(60, 'libx264')])).toEqual([
			['libsvtav1', 'leave-codecs-out', 10 * MINUTE],
		])
		expect(changes([lane('libsvtav1')], [machine(3_600, 'libsvtav1')])).toEqual([])
	})

	it('listLanesToChange waits for the first machine before it leaves out a codec', () => {
		expect(changes([lane('libsvtav1')], [])).toEqual([])
	})

	it('listLanesToChange needs one machine with all encoders of the lane', () => {
		const machines = [machine(0, 'h264_nvenc'), machine(0, 'hevc_nvenc')]
		expect(changes([lane('h264_nvenc', 'hevc_nvenc')], machines)).toHaveLength(1)
	})
})

it('the key of a lane contains its encoders', () => {
	const row = { orgId: 'o', lane: '["video","libx264","libx265"]' }
	expect(toLane(row)).toEqual({ ...row, encoders: ['libx264', 'libx265'] })
})
