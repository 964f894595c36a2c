import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { endRemainingProcesses } from '../../../scripts/test/remaining-processes.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

test('npm test ends programs that a run has left behind, and no others', async () => {
	const directory = await temporaryDirectory()
	const start = (runDirectory: string) =>
		spawn('sleep', ['1000'], {
			detached: true,
			stdio: 'ignore',
			env: { ...process.env, TEST_RUN_DIRECTORY: runDirectory },
		})
	const left = start(directory)
	const other = start(`${directory}-of-another-run`)
	const ended = once(left, 'exit')
	expect(await endRemainingProcesses(directory, 0)).toEqual(['sleep 1000'])
	await ended
	expect(other.exitCode ?? other.signalCode).toBeNull()
	other.kill('SIGKILL')
	expect(await endRemainingProcesses(directory, 0)).toEqual([])
})

test('npm test waits for a program that is about to end', async () => {
	const directory = await temporaryDirectory()
	spawn('sleep', ['0.3'], { stdio: 'ignore', env: { ...process.env, TEST_RUN_DIRECTORY: directory } })
	expect(await endRemainingProcesses(directory)).toEqual([])
})
