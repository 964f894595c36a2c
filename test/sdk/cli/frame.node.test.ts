import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningWorker, startWorker } from '../../support/shared/miniflare-worker.ts'
import { type CommandLine, createOwner, openCommandLine, removeCommandLine } from './cli.node.ts'

let worker: RunningWorker
let ada: Awaited<ReturnType<typeof createOwner>>
let cli: CommandLine
beforeAll(async () => {
	worker = await startWorker()
	ada = await createOwner(worker.url, 'ada@example.org')
	cli = await openCommandLine({ PLAYHOUSE_URL: worker.url, PLAYHOUSE_API_KEY: ada.key })
})
afterAll(async () => {
	await removeCommandLine(cli)
	await worker?.dispose()
})

test('an unknown command is answered with the most similar command and exit code 2', async () => {
	const { exitCode, stdout, stderr } = await cli.run('logn')
	expect([exitCode, stdout]).toEqual([2, ''])
	expect(stderr).toBe(
		"playhouse: unknown command 'logn'\n(Did you mean login?)\nadd --help to see what the command takes",
	)
})

test('the help is data, has no line over 80 columns, and lists every exit code', async () => {
	const { exitCode, stdout, stderr } = await cli.run('--help')
	expect([exitCode, stderr]).toEqual([0, ''])
	expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
	for (const code of [0, 1, 2, 4, 5, 75, 130]) expect(stdout).toMatch(new RegExp(`^ {2}${code} `, 'm'))
})

test('a closed pipe ends a command without an error', async () => {
	for (let index = 0; index < 40; index++) await ada.playhouse.assets.create({ title: `Film ${index}` })
	const line = `set -o pipefail; ${cli.command} api GET /v1/assets --paginate -f limit=5 | head -n 1`
	const { stdout, stderr, exitCode } = await execa('bash', ['-c', line], { env: cli.env, reject: false })
	expect([exitCode, stderr]).toEqual([0, ''])
	expect(JSON.parse(stdout)).toHaveProperty('id')
})

describe('api', () => {
	test('api sends fields as query or body, and prints the response on one line', async () => {
		const created = await cli.run(
			'api',
			'post',
			'/v1/assets',
			'-f',
			'title=Harbour',
			'-F',
			'metadata={"take":"2"}',
		)
		const { data } = JSON.parse(created.stdout)
		const asset = await ada.playhouse.assets.get({ assetId: data.id })
		expect(asset).toMatchObject({ title: 'Harbour', metadata: { take: '2' } })
		const { stdout } = await cli.run('api', 'GET', '/v1/assets', '-f', 'q=Harbour')
		expect(JSON.parse(stdout).data.map(({ id }: { id: string }) => id)).toEqual([data.id])
	})

	test('api --paginate prints every item of all pages once', async () => {
		const { stdout } = await cli.run('api', 'GET', '/v1/assets?limit=7', '--paginate')
		const ids = stdout.split('\n').map((line) => JSON.parse(line).id)
		const listed: string[] = []
		for await (const { id } of ada.playhouse.assets.list()) listed.push(id)
		expect(ids).toEqual(listed)
	})

	test('api sends a file or stdin as the body', async () => {
		const body = JSON.stringify({ title: 'From stdin' })
		const { stdout } = await cli.start(['api', 'POST', '/v1/assets', '--input', '-'], { input: body })
		const assetId = JSON.parse(stdout).data.id
		expect(await ada.playhouse.assets.get({ assetId })).toMatchObject({ title: 'From stdin' })
		expect((await cli.run('api', 'POST', '/v1/assets', '--input', 'missing.json')).stderr).toBe(
			'playhouse: missing.json does not exist; check the path',
		)
	})

	test('the exit code says whether a request was wrong, unauthorized, about nothing, or too early', async () => {
		const codes = await Promise.all([
			cli.run('api', 'GET', '/v1/assets', '-f', 'colour=red'),
			cli.start(['api', 'GET', '/v1/assets'], { env: { PLAYHOUSE_API_KEY: 'phk_live_wrong' } }),
			cli.run('api', 'GET', '/v1/assets/ast_00000000000000000000000000'),
			cli.start(['api', 'GET', '/v1/assets'], { env: { PLAYHOUSE_URL: 'http://127.0.0.1:1' } }),
			cli.run('api', 'GET', '/v1/assets/../orgs'),
		])
		expect(codes.map(({ exitCode }) => exitCode)).toEqual([1, 4, 5, 75, 2])
		for (const { stderr } of codes) expect(stderr).not.toMatch(/phk_live|\n/)
	})
})

test('bash completes commands and options by the script of completion', async () => {
	const line = `playhouse() { ${cli.command} "$@"; }
eval "$(playhouse completion bash)"
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _playhouse; echo "\${COMPREPLY[*]}"; }
try playhouse lo; try playhouse profiles ''; try playhouse api --pag`
	const { stdout } = await execa('bash', ['-c', line], { env: cli.env })
	expect(stdout.split('\n')).toEqual(['login logout', 'ls use help', '--paginate'])
	expect((await cli.run('completion', 'tcsh')).exitCode).toBe(2)
})
