import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collectNotices, listShippedPackages } from '../../../scripts/generate/notices.ts'
import { buildAssets } from '../../../scripts/lib/assets.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'

async function build(options: { reference?: boolean } = {}) {
	const out = await temporaryDirectory()
	const { bundledPackages } = await buildAssets({ ...options, out })
	return { out, shipped: () => listShippedPackages(out, bundledPackages) }
}

const player = ['@svta/cml-id3', '@svta/cml-utils', 'eventemitter3', 'hls.js', 'url-toolkit'].map((name) => ({
	name,
	files: ['player/*.js'],
}))

test('the notices list the packages in the page build with their licenses', async () => {
	const shipped = await (await build()).shipped()
	expect(shipped).toMatchObject(player)
	const text = await collectNotices(shipped)
	expect(text).toContain('Apache License')
})

test('the notices list only the packages in the player if the build has no reference', async () => {
	expect(await (await build({ reference: false })).shipped()).toMatchObject(player)
})

test('the generator of notices throws for a file of unknown origin', async () => {
	const { out, shipped } = await build()
	await writeFile(join(out, 'landing', 'tracker.js'), 'track()')
	await expect(shipped()).rejects.toThrow('landing/tracker.js comes from no package')
})

test('the generator of notices throws for a page that is not as it was written', async () => {
	const { out, shipped } = await build()
	const path = join(out, 'reference', 'reference.css')
	await writeFile(path, `${await readFile(path, 'utf8')}\nbody { color: red }`)
	await expect(shipped()).rejects.toThrow('reference/reference.css comes from no package')
})
