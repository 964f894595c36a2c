import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { chooseTitle } from '../../../sdk/cli/commands/upload/import.ts'
import { formatProgress, formatSeconds } from '../../../sdk/cli/commands/upload/progress-line.ts'
import { chooseStep } from '../../../sdk/cli/commands/upload/upload-state.ts'
import { withLock } from '../../../sdk/cli/files/lock.ts'

test('an upload continues, restarts, starts or is done, depending on the file and the asset', () => {
	const file = { size: 10, modifiedMs: 1 }
	const stored = { ...file, path: '/film', assetId: 'ast_1' }
	const changed = { size: 10, modifiedMs: 2 }
	expect(chooseStep(undefined, file, undefined)).toBe('start')
	expect(chooseStep(stored, file, undefined)).toBe('start')
	expect(chooseStep(stored, file, 'created')).toBe('continue')
	expect(chooseStep(stored, changed, 'created')).toBe('restart')
	expect(chooseStep(stored, { ...file, size: 9 }, 'created')).toBe('restart')
	expect(chooseStep(stored, file, 'processing')).toBe('done')
	expect(chooseStep(stored, changed, 'ready')).toBe('start')
})

test('a line of progress shows percent, size, speed and the time that is left', () => {
	const measure = { label: 'film.mp4', done: 12_300_000, size: 27_100_000, perSec: 4_200_000 }
	expect(formatProgress(measure, 100)).toBe(
		`film.mp4  ${'█'.repeat(10)}${'░'.repeat(14)}   45 %  12.3 of 27.1 MB  4.2 MB/s  4 s left`,
	)
	expect(formatProgress({ ...measure, label: 'a'.repeat(300) }, 80)).toHaveLength(80)
	expect(formatProgress({ ...measure, perSec: 0 }, 100)).not.toContain('left')
})

test('durations are printed in seconds, minutes or hours', () => {
	expect([0.2, 59, 60, 3_599, 7_260].map(formatSeconds)).toEqual([
		'1 s',
		'59 s',
		'1 min 0 s',
		'59 min 59 s',
		'2 h 1 min',
	])
})

test('an import is named after its file, also if the address has no file or a broken escape', () => {
	const title = (url: string) => chooseTitle(new URL(url))
	expect(title('https://example.com/a/Sea%20view.mp4?x=1')).toBe('Sea view.mp4')
	expect(title('https://example.com/')).toBe('example.com')
	expect(title('https://example.com/%E0%A4%A.mp4')).toBe('%E0%A4%A.mp4')
})

test('one of several concurrent tasks gets a lock, also if a process that was killed left one', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-lock-'))
	onTestFinished(() => rm(folder, { recursive: true }))
	const path = join(folder, 'film.lock')
	// No process has this id on Linux, where the largest is 4194304.
	await writeFile(path, '99999999 0')
	const allDecided = Promise.withResolvers<void>()
	let decided = 0
	const decide = () => ++decided === 3 && allDecided.resolve()
	const run = () =>
		withLock(path, 'film', async () => {
			decide()
			await allDecided.promise
		}).catch((error: Error) => {
			decide()
			return error.message
		})
	const results = await Promise.all([run(), run(), run()])
	const refusal = `another process (${process.pid}) works on film; wait until it has ended`
	expect(results.sort()).toEqual([refusal, refusal, undefined])
	expect(await readdir(folder)).toEqual([])
})
