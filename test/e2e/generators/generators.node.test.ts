import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningWorker, startWorker } from '../../support/shared/miniflare-worker.ts'
import { needs } from '../../support/shared/needs.ts'
import type { Account, Tally } from './calls/tally.mts'
import {
	addCalls,
	callsFolder,
	compileClient,
	countLines,
	generateClient,
	installGenerators,
	loadCalls,
} from './generated-client.ts'
import { type GeneratorName, generators } from './generators.ts'

const TIMEOUT_MS = 600_000
const names = Object.keys(generators) as GeneratorName[]
const called: GeneratorName[] = ['openapi-typescript', '@hey-api/openapi-ts']

type Video = { callVideo(baseUrl: string, tally: Tally): Promise<Account> }
type Community = { callCommunity(baseUrl: string, tally: Tally, account: Account): Promise<void> }

// It downloads packages, so `npm test` leaves it out.
describe('clients of foreign generators', needs({ PROOF_GENERATORS: process.env.PROOF_GENERATORS }), () => {
	let directory: string
	let worker: RunningWorker
	beforeAll(async () => {
		directory = await mkdtemp(join(tmpdir(), 'playhouse-generators-'))
		await installGenerators(directory)
		worker = await startWorker()
	}, TIMEOUT_MS)
	afterAll(async () => {
		await worker?.dispose()
		await rm(directory, { recursive: true, force: true })
	})

	test.each(names)(
		'the client that %s generates compiles under strict',
		{ timeout: TIMEOUT_MS },
		async (name) => {
			const folder = await generateClient(directory, name)
			const lines = await countLines(folder)
			if (called.includes(name)) await addCalls(folder, name)
			const errors = await compileClient(directory, folder)
			console.log(`${name} ${generators[name].version}: ${lines} lines, ${errors.length} errors`)
			expect(lines).toBeGreaterThan(1_000)
			expect(errors).toEqual([])
		},
	)

	test.each(called)(
		'the client that %s generates makes at least 40 calls of the Worker',
		{ timeout: TIMEOUT_MS },
		async (name) => {
			const operations: string[] = []
			const tally = countCalls(operations)
			const folder = join(directory, 'clients', callsFolder(name))
			const video = await loadCalls<Video>(folder, 'video')
			const community = await loadCalls<Community>(folder, 'community')
			await community.callCommunity(worker.url, tally, await video.callVideo(worker.url, tally))
			console.log(`${name}: ${operations.length} calls of ${new Set(operations).size} operations`)
			expect(operations.length).toBeGreaterThanOrEqual(40)
		},
	)
})

const countCalls = (operations: string[]): Tally => ({
	async done(name, reply) {
		const { data, error, response } = await reply
		expect([name, response?.status, error]).toEqual([name, expect.toSatisfy(isSuccess), undefined])
		operations.push(name)
		return data as NonNullable<typeof data>
	},
	async refused(name, status, reply) {
		const { error, response } = await reply
		expect([name, response?.status, error]).toEqual([name, status, { error: expect.any(String) }])
		operations.push(name)
	},
	matches: (value, expected) => expect(value).toMatchObject(expected),
})

const isSuccess = (status: unknown) => Number(status) >= 200 && Number(status) < 300
