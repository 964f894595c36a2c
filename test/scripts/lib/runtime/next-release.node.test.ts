import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { findBesideNextRelease, NEXT_RELEASE } from '../../../../scripts/lib/runtime/next-release.ts'
import { temporaryDirectory } from '../../../support/node/temporary-directory.ts'

const own = {
	name: 'playhouse',
	modules: [{ type: 'ESModule' as const, path: '/old/worker.js' }],
	modulesRoot: '/old',
	queueConsumers: { mails: { maxBatchTimeout: 0 } },
	durableObjects: { FLEET: { className: 'Fleet', useSQLite: true } },
}
const options = {
	queueConsumers: { mails: { maxBatchTimeout: 5 }, invoices: { maxBatchTimeout: 5 } },
	durableObjects: {
		MACHINES: { className: 'Fleet', useSQLite: true },
		LEDGER: { className: 'Ledger', useSQLite: true },
	},
}

async function start(part: 'queues' | 'requests') {
	const file = join(await temporaryDirectory(), 'next.json')
	await writeFile(file, JSON.stringify({ script: '/new/worker.js', options, part }))
	vi.stubEnv(NEXT_RELEASE, file)
	const { workers, answering } = await findBesideNextRelease(own)
	const consumers = Object.fromEntries(workers.map(({ name, queueConsumers }) => [name, queueConsumers]))
	return { workers, answering, consumers }
}
afterEach(() => void vi.unstubAllEnvs())

describe('the proof of an upgrade', () => {
	test('the next release takes all messages during the proof of an upgrade, or those of its new queues', async () => {
		expect(await start('queues')).toMatchObject({
			answering: 'playhouse',
			consumers: {
				playhouse: {},
				'next-release': { mails: { maxBatchTimeout: 0 }, invoices: { maxBatchTimeout: 5 } },
			},
		})
		const { answering, consumers } = await start('requests')
		expect([answering, consumers]).toEqual([
			'next-release',
			{ playhouse: own.queueConsumers, 'next-release': { invoices: { maxBatchTimeout: 5 } } },
		])
	})

	test('both releases of an upgrade share Durable Objects, and the next one has its new classes', async () => {
		const { workers } = await start('queues')
		expect(workers.map(({ durableObjects }) => durableObjects)).toEqual([
			own.durableObjects,
			{
				MACHINES: { className: 'Fleet', useSQLite: true, scriptName: 'playhouse' },
				LEDGER: { className: 'Ledger', useSQLite: true },
			},
		])
	})
})
