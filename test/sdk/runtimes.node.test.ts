import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningWorker, startWorker } from '../support/shared/miniflare-worker.ts'
import { needs } from '../support/shared/needs.ts'
import { installSdk } from './packed-package.node.ts'
import { createKey, expected, runCalls, runUpload } from './programs.node.ts'

const system = `${process.platform}-${process.arch}`
const deno = `@deno/${process.platform === 'linux' ? `${system}-glibc` : system}`

/** Packages of npm that contain only the program, without an install script. */
const runtimes = [
	{ name: 'Node 22', install: `node-${system}@22.23.3`, program: `node-${system}/bin/node`, args: [] },
	{ name: 'Bun', install: `@oven/bun-${system}@1.4.5`, program: `@oven/bun-${system}/bin/bun`, args: [] },
	{ name: 'Deno', install: `${deno}@2.9.6`, program: `${deno}/deno`, args: ['run', '--allow-all'] },
] as const

// It downloads 130 MB, so `npm test` leaves it out.
describe('runtimes', needs({ PROOF_RUNTIMES: process.env.PROOF_RUNTIMES }), () => {
	let worker: RunningWorker
	let programs: string
	let apiKey: string
	beforeAll(async () => {
		programs = await mkdtemp(join(tmpdir(), 'playhouse-runtimes-'))
		await writeFile(join(programs, 'package.json'), '{"private":true}')
		const names = runtimes.map(({ install }) => install)
		const args = ['install', ...names, '--ignore-scripts', '--no-audit', '--no-fund']
		;[worker] = await Promise.all([startWorker(), execa('npm', args, { cwd: programs })])
		apiKey = await createKey(worker.url)
	})
	afterAll(async () => {
		await worker?.dispose()
		await rm(programs, { recursive: true, force: true })
	})

	test.each(runtimes)(
		'the packed SDK calls the API and uploads a file in $name',
		async ({ program, args }) => {
			const folder = await mkdtemp(join(tmpdir(), 'playhouse-runtime-'))
			await installSdk(folder)
			const runtime = [join(programs, 'node_modules', program), ...args] as const
			expect(await runCalls(runtime, folder, worker.url, apiKey)).toBe(expected)
			expect(await runUpload(runtime, folder, worker, apiKey)).toBe(true)
			await rm(folder, { recursive: true })
		},
	)
})
