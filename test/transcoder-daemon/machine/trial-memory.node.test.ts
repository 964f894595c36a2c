import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { reuseOrRunTrials } from '../../../transcoder-daemon/machine/trial-memory.ts'
import { temporaryFolder } from '../ffmpeg/programs.ts'

test('repeats trials only for another ffmpeg, codecs or sandbox, or if the stored result is damaged', async () => {
	await using dir = await temporaryFolder()
	const [ffmpeg, path] = [join(dir.path, 'ffmpeg'), join(dir.path, 'trials.json')]
	await writeFile(ffmpeg, '1')
	const tools = {
		setpriv: null,
		prlimit: null,
		bwrap: null,
		seccomp: null,
		devices: [] as string[],
		env: {} as Record<string, string>,
	}
	const tried = { ffmpeg, codecs: ['h264'], sandbox: { tools, gaps: ['no bwrap'] } }
	const tryAll = vi.fn(async () => ({ trials: [], decoderTrials: [] }))
	const isTriedAgain = async (given: Partial<typeof tried> = {}) => {
		tryAll.mockClear()
		expect(await reuseOrRunTrials(path, { ...tried, ...given }, tryAll)).toMatchObject({ trials: [] })
		return tryAll.mock.calls.length === 1
	}
	expect(await isTriedAgain()).toBe(true)
	expect(await isTriedAgain()).toBe(false)
	expect(await isTriedAgain({ codecs: ['h264', 'hevc'] })).toBe(true)
	expect(await isTriedAgain({ sandbox: { tools, gaps: [] } })).toBe(true)
	expect(await isTriedAgain()).toBe(true)
	const withCard = { ...tools, devices: ['/dev/nvidia0'] }
	expect(await isTriedAgain({ sandbox: { tools: withCard, gaps: ['no bwrap'] } })).toBe(true)
	const withDriver = { ...tools, env: { LIBVA_DRIVER_NAME: 'iHD' } }
	expect(await isTriedAgain({ sandbox: { tools: withDriver, gaps: ['no bwrap'] } })).toBe(true)
	await writeFile(ffmpeg, 'another')
	expect(await isTriedAgain()).toBe(true)
	await writeFile(path, '{"key":')
	expect(await isTriedAgain()).toBe(true)
})
