import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createReadyVideo } from '../edge/web/player/ready-video.node.ts'
import { provideAssets } from '../support/node/built-assets.ts'
import { type RunningWorker, startWorker } from '../support/shared/miniflare-worker.ts'
import { needs } from '../support/shared/needs.ts'

/** Where the packages php-cli and wordpress of Debian are. */
const PHP = '/usr/bin/php'
const WORDPRESS = '/usr/share/wordpress'
const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url).href)
const run = promisify(execFile)

describe(
	'the plugin for WordPress',
	needs({ PHP: existsSync(PHP), WordPress: existsSync(`${WORDPRESS}/wp-includes/class-wp-oembed.php`) }),
	() => {
		let worker: RunningWorker
		let address: string
		beforeAll(async () => {
			await provideAssets()
			worker = await startWorker()
			const { playbackId } = await createReadyVideo(worker, { title: 'A "film" & more' })
			address = `${worker.url}/watch/${playbackId}`
		})
		afterAll(() => worker?.dispose())

		/** Returns what an article shows for each address; false for one that stays a link. */
		const embed = async (plugin: string, ...addresses: string[]): Promise<(string | false)[]> => {
			const args = [pathOf('wordpress.php'), WORDPRESS, plugin, worker.url, ...addresses]
			return JSON.parse((await run(PHP, args)).stdout)
		}
		const plugin = pathOf('../../integrations/wordpress/playhouse.php')

		test('WordPress with the plugin shows the complete player for watch and embed addresses', async () => {
			const shown = await embed(plugin, address, `${address.replace('/watch/', '/embed/')}?t=5`)
			for (const html of shown) {
				expect(html).toMatch(/^<iframe src="[^"]+\/embed\/\w+/)
				expect(html).toContain('allowfullscreen')
				expect(html).toContain('aspect-ratio:')
				expect(html).not.toContain('sandbox')
			}
			expect(shown[1]).toContain('?t=5"')
		})

		test('WordPress without the plugin keeps the player in a sandbox without full screen', async () => {
			const [html] = await embed('', address)
			expect(html).toContain('sandbox="allow-scripts"')
			expect(html).not.toContain('allowfullscreen')
		})

		test('WordPress with the plugin does not trust an address that only contains one of the installation', async () => {
			expect(await embed(plugin, `http://127.0.0.1:1/?next=${address}`)).toEqual([false])
		})
	},
)
