import { once } from 'node:events'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../scripts/lib/root.ts'
import { reservePort } from '../../scripts/start/port.ts'
import { launchCommand } from '../support/node/playhouse-process.ts'
import { temporaryDirectory } from '../support/node/temporary-directory.ts'

const advice = /packages come from the npm registry: check the network, and behind a proxy set HTTPS_PROXY/g

/** Makes a source tree whose only package is not installed yet. */
async function makeTree(): Promise<string> {
	const tree = await temporaryDirectory()
	await mkdir(join(tree, 'scripts', 'lib'), { recursive: true })
	for (const file of ['bootstrap.mjs', 'lib/silence.mjs'])
		await copyFile(join(root, 'scripts', file), join(tree, 'scripts', file))
	await writeFile(join(tree, 'scripts', 'start.ts'), '')
	const description = { name: 'tree', version: '1.0.0', dependencies: { 'is-odd': '3.0.1' } }
	const packages = { '': description, 'node_modules/is-odd': { version: '3.0.1' } }
	await writeFile(join(tree, 'package.json'), JSON.stringify(description))
	await writeFile(
		join(tree, 'package-lock.json'),
		JSON.stringify({ name: 'tree', version: '1.0.0', lockfileVersion: 3, packages }),
	)
	return tree
}

function start(tree: string, port: number) {
	const command = launchCommand(tree, 'start', {
		npm_config_registry: `http://127.0.0.1:${port}`,
		npm_config_cache: join(tree, 'cache'),
	})
	onTestFinished(async () => {
		command.kill('SIGTERM')
		await command.exitCode
	})
	return command
}

test('a first start prints what to do while the package registry does not respond', async () => {
	const silent = createServer(() => {}).listen(0, '127.0.0.1')
	onTestFinished(() => void silent.close())
	await once(silent, 'listening')
	const { port } = silent.address() as AddressInfo
	const command = start(await makeTree(), port)
	await expect.poll(command.output).toContain('nothing has arrived from the network yet; packages come from')
	command.kill('SIGTERM')
	expect(await command.exitCode).toBe(1)
})

test('a first start names the first failed download, once, and prints no other one', async () => {
	const port = await reservePort('127.0.0.1', 0)
	const command = start(await makeTree(), port)
	await expect
		.poll(command.output)
		.toContain(`a download failed (GET http://127.0.0.1:${port}/is-odd attempt 1 failed with ECONNREFUSED)`)
	command.kill('SIGTERM')
	await command.exitCode
	expect(command.output().match(advice)).toHaveLength(1)
	expect(command.output()).not.toContain('npm http')
})
