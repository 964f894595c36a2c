import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { Playhouse } from '../../sdk/src/index.ts'
import { MIB, sha256, sourceDigest } from '../edge/video/uploads/tus/film.node.ts'
import type { RunningWorker } from '../support/shared/miniflare-worker.ts'

/** Signs up, and creates an API key for the programs. */
export async function createKey(baseUrl: string): Promise<string> {
	const { token, org } = await new Playhouse({ baseUrl }).auth.signup({
		email: 'ada@example.org',
		password: 'correct horse battery',
		name: 'Ada',
	})
	const owner = new Playhouse({ baseUrl, token })
	return (await owner.apiKeys.create({ orgId: org.id, name: 'test', scopes: ['read', 'write'] })).key
}

/** Calls the package like an ordinary program, and returns the results as JSON. */
export const callingProgram = (apiKey: string) => `
import { call, createAsset, createClient, NotFoundError, Playhouse } from '@playhouse/sdk'
export async function run(baseUrl) {
	const playhouse = new Playhouse({ baseUrl, apiKey: '${apiKey}' })
	for (const title of ['One', 'Two', 'Three']) await playhouse.assets.create({ title })
	const titles = []
	for await (const { title } of playhouse.assets.list({ limit: 2, sort: '-created' })) titles.push(title)
	const options = { idempotencyKey: 'key' + Math.random() }
	const client = createClient({ baseUrl, apiKey: '${apiKey}' })
	const [first, second] = [await call(client, createAsset, { title: 'Four' }, options), await call(client, createAsset, { title: 'Four' }, options)]
	const error = await playhouse.assets.get({ assetId: 'ast_00000000000000000000000000' }).send().catch((error) => error)
	return JSON.stringify([titles.slice(0, 3), first.id === second.id, error instanceof NotFoundError, error.name, error.code])
}`
export const expected = JSON.stringify([['Three', 'Two', 'One'], true, true, 'NotFoundError', 'not_found'])

type Runtime = readonly [program: string, ...args: string[]]

/** Runs the program in a runtime. Returns its results. */
export async function runCalls(
	[program, ...args]: Runtime,
	folder: string,
	baseUrl: string,
	apiKey: string,
): Promise<string> {
	const code = `${callingProgram(apiKey)}\nconsole.log(await run('${baseUrl}'))`
	await writeFile(join(folder, 'calls.mjs'), code)
	return (await execa(program, [...args, 'calls.mjs'], { cwd: folder })).stdout
}

const uploadingProgram = (baseUrl: string, apiKey: string) => `
import { Playhouse } from '@playhouse/sdk'
const playhouse = new Playhouse({ baseUrl: '${baseUrl}', apiKey: '${apiKey}' })
const { id: assetId } = await playhouse.assets.create({ title: 'Film' })
let last = 0
const onProgress = ({ sent }) => { last = sent }
await playhouse.uploads.send('film.mp4', { assetId, wholeUpToBytes: 0, chunkBytes: ${MIB}, onProgress })
console.log(assetId + ' ' + last)`

/** Uploads a file by its path in a runtime. Returns whether all of its bytes arrived and were counted. */
export async function runUpload(
	[program, ...args]: Runtime,
	folder: string,
	worker: RunningWorker,
	apiKey: string,
): Promise<boolean> {
	const bytes = randomBytes(3 * MIB + 1)
	await writeFile(join(folder, 'film.mp4'), bytes)
	await writeFile(join(folder, 'upload.mjs'), uploadingProgram(worker.url, apiKey))
	const { stdout } = await execa(program, [...args, 'upload.mjs'], { cwd: folder })
	const [assetId = '', last] = stdout.split(' ')
	return Number(last) === bytes.length && (await sourceDigest(worker, assetId)) === sha256(bytes)
}
