import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { expect, onTestFinished, test } from 'vitest'
import { claimDatabaseLease } from '../../../scripts/start/database-lease.ts'
import { startLibsqlServer } from '../../support/libsql/server.ts'
import { startPlayhouse } from '../../support/node/playhouse-process.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

const refusal =
	/^LIBSQL_URL: another installation uses this database; stop it, or set LIBSQL_URL to another database\. If it was killed, start again in \d+ s\n$/

async function openDatabase() {
	const server = await startLibsqlServer()
	onTestFinished(() => server[Symbol.asyncDispose]())
	const client = createClient({ url: server.url })
	onTestFinished(() => client.close())
	return { server, client, expire: () => client.execute('update installation_lease set expires_at = 0') }
}

async function readHolder(dataDir: string): Promise<string> {
	return JSON.parse(await readFile(join(dataDir, 'lease.json'), 'utf8')).holder
}

test('a second npm start on one libSQL database waits until the lease of a killed first one expires', async () => {
	const { server, client, expire } = await openDatabase()
	const [FIRST, SECOND] = [await temporaryDirectory(), await temporaryDirectory()]
	const start = (DATA_DIR: string) => startPlayhouse({ DATA_DIR, LIBSQL_URL: server.url }, '--no-daemon')
	const first = start(FIRST)
	const url = await first.url
	const second = start(SECOND)
	expect(await second.exitCode).toBe(1)
	expect(second.output()).toMatch(refusal)
	expect((await fetch(`${url}/v1/playback/none`)).status).toBe(404)
	expect((await client.execute('select count(*) as n from rewind_repairs')).rows).toMatchObject([{ n: 0 }])

	first.kill('SIGKILL')
	await first.exitCode
	expect(await start(SECOND).exitCode).toBe(1)
	// Its own data directory is locked by the new process, so the killed one has ended.
	const again = start(FIRST)
	await again.url
	again.kill('SIGTERM')
	expect(await again.exitCode).toBe(0)
	expect((await client.execute('select * from installation_lease')).rows).toEqual([])

	const last = start(FIRST)
	await last.url
	last.kill('SIGKILL')
	await last.exitCode
	await expire()
	await start(SECOND).url
	const holder = await readHolder(SECOND)
	expect((await client.execute('select holder from installation_lease')).rows).toMatchObject([{ holder }])
})

/** Takes the lease for a data directory; renewals come as fast as the database answers. */
function claimLease(dataDir: string, url: string, renewEveryMs = 1) {
	const lines: string[] = []
	const claimed = claimDatabaseLease({
		dataDir,
		variables: { LIBSQL_URL: url },
		out: { log: (_, line) => lines.push(line) },
		times: { leaseSeconds: 60, renewEveryMs },
	})
	return { lines, claimed: claimed.then((lease) => lease ?? expect.unreachable('libSQL has a lease')) }
}

test('a copy of a data directory never claims the lease of the original, however often it starts', async () => {
	const { server } = await openDatabase()
	const [original, copy] = [await temporaryDirectory(), await temporaryDirectory()]
	const lease = await claimLease(original, server.url).claimed
	await copyFile(join(original, 'lease.json'), join(copy, 'lease.json'))
	expect(await readHolder(copy)).toBe(await readHolder(original))
	// The original renews its lease, after which the copy knows an older term.
	const renewals = () => server.pipelines.filter((each) => JSON.stringify(each).includes('returning term'))
	await expect.poll(() => renewals().length).toBeGreaterThan(3)
	for (let attempt = 0; attempt < 20; attempt++)
		await expect(claimLease(copy, server.url).claimed).rejects.toThrow(
			'another installation uses this database',
		)
	await lease.release()
	const claimed = await claimLease(copy, server.url).claimed
	await claimed.release()
})

test('an installation whose expired lease another one claimed is informed and claims nothing back', async () => {
	const { server, client, expire } = await openDatabase()
	const [first, second] = [await temporaryDirectory(), await temporaryDirectory()]
	const lease = await claimLease(first, server.url).claimed
	// One write, as another installation makes it after the lease has expired.
	await client.execute("update installation_lease set holder = 'another', term = term + 1")
	await lease.lost
	await lease.release()
	expect((await client.execute('select holder from installation_lease')).rows).toMatchObject([
		{ holder: 'another' },
	])
	await expire()
	const claimed = await claimLease(second, server.url).claimed
	await claimed.release()
})

test('a restored database without the lease, or with an older one, keeps its installation', async () => {
	const { server, client } = await openDatabase()
	const dataDir = await temporaryDirectory()
	const lease = await claimLease(dataDir, server.url).claimed
	const holder = await readHolder(dataDir)
	for (const restore of ['delete from installation_lease', 'update installation_lease set term = 0']) {
		await client.execute(restore)
		const rows = async () =>
			(await client.execute('select holder, term > 0 as renewed from installation_lease')).rows
		await expect.poll(rows).toMatchObject([{ holder, renewed: 1 }])
	}
	await lease.release()
})

test('npm start names the reason when the database does not respond, and renews once it does', async () => {
	const { server } = await openDatabase()
	const dataDir = await temporaryDirectory()
	await server.stop()
	await expect(claimLease(dataDir, server.url).claimed).rejects.toThrow(
		/^LIBSQL_URL: the database does not respond \(.*ECONNREFUSED.*\); start its server, or correct LIBSQL_URL/,
	)
	await server.resume()
	const { lines, claimed } = claimLease(dataDir, server.url)
	const lease = await claimed
	await server.stop()
	await expect.poll(() => lines).toContainEqual(expect.stringContaining('could not be renewed'))
	await server.resume()
	const before = server.pipelines.length
	await expect.poll(() => server.pipelines.length).toBeGreaterThan(before)
	await lease.release()
})
