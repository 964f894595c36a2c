/** @module-tag d1 */
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'

import { openWorld } from '../../../support/edge/world.ts'

const HOUR = 3_600_000

test('a storage purge survives a lost message, runs again a day later and then ends', async () => {
	const world = await openWorld()
	await world.deps((d) =>
		d.db.all(
			`insert into storage_purges values ('media', 'media/x/', ${world.now}, ${world.now + 24 * HOUR}) returning 1`,
		),
	)
	await env.MEDIA.put('media/x/1', 'x')
	await env.MEDIA.put('media/xy', 'of another one')
	await world.cron('* * * * *')
	await world.cron('* * * * *')
	expect(world.messages).toEqual([{ type: 'storage.purge', bucket: 'media', prefix: 'media/x/' }])
	// The queue loses the message.
	world.messages.length = 0
	world.pass(31 * 60_000)
	await world.cron('* * * * *')
	await world.deliver([...world.messages, ...world.messages.splice(0)])
	const keys = async () => (await env.MEDIA.list()).objects.map(({ key }) => key)
	expect(await keys()).toEqual(['media/xy'])
	await env.MEDIA.put('media/x/late', 'x')
	world.pass(24 * HOUR)
	await world.cron('* * * * *')
	await world.deliver()
	expect(await keys()).toEqual(['media/xy'])
	expect(await world.deps((d) => d.db.all('select * from storage_purges'))).toEqual([])
})
