/** @module-tag ffmpeg */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildSandbox, type Tools, wrapCommand } from '../../../transcoder-daemon/sandbox.ts'
import { programs, temporaryFolder } from './ffmpeg/programs.ts'

const run = promisify(execFile)
const limits = { cpuSeconds: 60, addressBytes: null, fileBytes: 1_000_000 }

test.each<(keyof Tools)[][]>([[['setpriv']], [['setpriv', 'prlimit']], [['setpriv', 'prlimit', 'bwrap']]])(
	'a program has no powers, root or not, with %j',
	async (names) => {
		await using folder = await temporaryFolder()
		const { tools } = await buildSandbox(programs.ffmpeg, false, process.env, new AbortController().signal)
		const some: Tools = { ...tools, setpriv: null, prlimit: null, bwrap: null }
		for (const name of names) Object.assign(some, { [name]: tools[name] })
		const [file = '', ...args] = wrapCommand(
			['/bin/sh', '-c', 'cat /proc/self/status'],
			{ workDir: folder.path, readable: [] },
			limits,
			some,
		)
		const { stdout } = await run(file, args)
		expect(stdout).toMatch(/^CapEff:\s+0+$/m)
		expect(stdout).toMatch(/^NoNewPrivs:\s+1$/m)
	},
)
