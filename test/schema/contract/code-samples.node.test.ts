import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import document from '#schema/openapi.json' with { type: 'json' }
import { root } from '../../../scripts/lib/root.ts'
import { type RunningWorker, startWorker } from '../../support/shared/miniflare-worker.ts'

type Described = { operationId: string; 'x-codeSamples': { lang: string; source: string }[] }

const samples = Object.values(document.paths)
	.flatMap((methods) => Object.values(methods) as Described[])
	.map((op) => ({ id: op.operationId, sources: op['x-codeSamples'].map(({ source }) => source) }))

let worker: RunningWorker
beforeAll(async () => {
	worker = await startWorker()
})
afterAll(() => worker?.dispose())

/** Runs the curl sample of an operation in a shell and returns the body of the response. */
async function runCurl(id: string, env: Record<string, string>, ids: Record<string, string> = {}) {
	let [source = ''] = samples.find((sample) => sample.id === id)?.sources ?? []
	for (const [example, real] of Object.entries(ids)) source = source.replaceAll(example, real)
	const { stdout } = await execa('sh', ['-c', source], {
		env: { PLAYHOUSE_URL: worker.url, ...env },
	})
	const body = JSON.parse(stdout)
	if (body.error) throw new Error(`${id}: ${body.error}`)
	return body
}

describe('the code samples of the OpenAPI document', () => {
	test('the curl samples sign up, create a key, and create and change resources, as they are written', async () => {
		const { data: account } = await runCurl('signup', {})
		const session = { PLAYHOUSE_TOKEN: account.token }
		const { data: key } = await runCurl('createApiKey', session, {
			org_01k9x3v7qzh4t8c2m6r0p3w7n5: account.org.id,
			'"write"': '"admin"',
		})
		const program = { PLAYHOUSE_API_KEY: key.key }

		const { data: collection } = await runCurl('createCollection', program)
		const collectionIds = { col_01k9x3v7qzh4t8c2m6r0p3w7n5: collection.id }
		const { data: asset } = await runCurl('createAsset', program, collectionIds)
		const ids = { ...collectionIds, ast_01k9x3v7qzh4t8c2m6r0p3w7n5: asset.id }
		expect(await runCurl('getAsset', program, ids)).toMatchObject({
			data: { id: asset.id, title: 'Harbour at dawn', metadata: { camera: 'B', take: '3' } },
		})
		expect(await runCurl('updateAsset', program, ids)).toMatchObject({
			data: { collectionId: collection.id },
		})
		const { data: community } = await runCurl('createCommunity', program)
		const communityIds = { '/communities/3': `/communities/${community.id}` }
		expect(await runCurl('createSpaceGroup', program, communityIds)).toMatchObject({
			data: { slug: 'rooms' },
		})
		expect(await runCurl('createInvitationLink', program, { ...communityIds, '    5\n': '' })).toMatchObject({
			data: { name: 'Spring newsletter' },
		})
		expect(await runCurl('getMe', session)).toMatchObject({ data: { user: { name: 'Mara Lindt' } } })
	})

	test('all TypeScript samples compile under strict', async () => {
		const folder = await mkdtemp(join(tmpdir(), 'samples-'))
		try {
			await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
			// One module for all of them is compiled within a second.
			const imports = new Set<string>()
			const functions = samples.map(({ id, sources: [, source = ''] }) => {
				const [, ...lines] = [[], ...source.split('\n')] as string[]
				for (const line of lines) if (line.startsWith('import ')) imports.add(line)
				return `export async function ${id}() {\n${lines.filter((line) => !imports.has(line)).join('\n')}\n}`
			})
			await writeFile(join(folder, 'samples.ts'), [...imports, ...functions].join('\n'))
			const options = [
				'--strict',
				'--noEmit',
				'--target',
				'es2024',
				'--module',
				'nodenext',
				'--types',
				'node',
			]
			const compiled = await execa(join(root, 'node_modules/.bin/tsc'), [...options, 'samples.ts'], {
				cwd: folder,
				reject: false,
			})
			expect(compiled.stdout).toBe('')
			expect(compiled.exitCode).toBe(0)
		} finally {
			await rm(folder, { recursive: true })
		}
	})

	test('every operation has a curl and a TypeScript sample', () => {
		for (const { id, sources } of samples) {
			expect([id, sources.length]).toEqual([id, 2])
			expect(sources[0]).toMatch(/^curl (--head |-N |-X [A-Z]+ )?"\$PLAYHOUSE_URL\//)
			expect(sources[1]).toMatch(/await fetch\(`\$\{process\.env\.PLAYHOUSE_URL\}\//)
		}
	})
})
