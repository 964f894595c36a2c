import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import document from '#schema/openapi.json' with { type: 'json' }
import { root } from '../../../scripts/lib/root.ts'
import { type RunningWorker, startWorker } from '../../support/shared/miniflare-worker.ts'

type Described = { operationId: string; 'x-codeSamples': { lang: string; source: string }[] }

const samples = Object.values(document.paths)
	.flatMap((methods) => Object.values(methods) as Described[])
	.map((op) => ({ id: op.operationId, sources: op['x-codeSamples'].map(({ source }) => source) }))

/** Streams that EventSource can open. */
const pages = ['streamCommunity', 'streamEvents']

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
			const programs = samples.flatMap(({ id, sources: [, ...programs] }) =>
				programs.map((source, index) => ({ id: `${id}${index}`, source })),
			)
			const functions = programs.map(({ id, source }) => {
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

	test('the samples of streams print what happens, read by fetch and by EventSource', async () => {
		const { data: account } = await runCurl('signup', {}, { '@example': '@streams.example' })
		const headers = { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' }
		// biome-ignore lint/suspicious/noExplicitAny: the test reads single fields of responses
		const post = async (path: string, body: object, more: Record<string, string> = headers): Promise<any> => {
			const response = await fetch(`${worker.url}${path}`, {
				method: 'POST',
				headers: more,
				body: JSON.stringify(body),
			})
			if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
			return response.json()
		}
		const scopes = ['admin', 'headless:auth']
		const { key } = (await post(`/v1/orgs/${account.org.id}/api-keys`, { name: 'k', scopes })).data
		const { id: communityId } = (await post('/v1/communities', { name: 'Club', slug: 'club' })).data
		const ofSpace = { name: 'Rooms', slug: 'rooms', spaceType: 'basic', visibility: 'public' }
		const { id: spaceId } = (await post(`/v1/communities/${communityId}/spaces`, ofSpace)).data
		const who = { ...headers, 'x-api-key': key, 'x-community-id': String(communityId) }
		const { authorization: _, ...asKey } = who
		const { access_token: memberToken } = await post(
			'/api/v1/headless/auth_token',
			{ email: account.user.email },
			asKey,
		)
		const env = { PLAYHOUSE_URL: worker.url, PLAYHOUSE_API_KEY: key, MEMBER_TOKEN: memberToken }
		const asMember = { ...headers, authorization: `Bearer ${memberToken}` }
		const streams = [
			['streamEvents', 'asset.created', () => post('/v1/assets', { title: 'Film' })],
			[
				'streamCommunity',
				'post.created',
				() => post(`/api/headless/v1/spaces/${spaceId}/posts`, { body: 'Hi' }, asMember),
			],
		] as const
		for (const [id, type, happen] of streams)
			for (const source of samples.find((sample) => sample.id === id)?.sources.slice(1) ?? []) {
				const real = source
					.replaceAll('space:12', `space:${spaceId}`)
					.replace(/space%3A12%2Cpost%3A2071/, `space:${spaceId}`)
					.replace(/,"post:2071"/, '')
					.replaceAll('space:12', `space:${spaceId}`)
					.replaceAll(/, 'post:2071'|, "post:2071"/g, '')
				const program = execa('node', ['--experimental-eventsource', '--input-type=module', '-e', real], {
					env,
					reject: false,
				})
				onTestFinished(async () => {
					program.kill()
					await program
				})
				let printed = ''
				for await (const chunk of program.stdout) {
					if (!printed.includes('ready') && String(chunk).includes('ready')) await happen()
					printed += chunk
					if (printed.includes(type)) break
				}
				expect(printed).toContain(type)
			}
	})

	test('every operation has a curl and a TypeScript sample, and streams for pages also one of EventSource', () => {
		for (const { id, sources } of samples) {
			expect([id, sources.length]).toEqual([id, pages.includes(id) ? 3 : 2])
			expect(sources[0]).toMatch(/^curl (--head |-N |-X [A-Z]+ )?"\$PLAYHOUSE_URL\//)
			expect(sources[1]).toMatch(/await fetch\(`\$\{process\.env\.PLAYHOUSE_URL\}\//)
		}
	})
})
