import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findAffectedParts } from '../../../scripts/dev/changed.ts'
import { openChanges } from '../../../scripts/lib/local-pages/changes.ts'
import { allowReload } from '../../../scripts/lib/runtime/live-reload.mjs'

const nothing = { worker: false, config: false, pages: false, migrations: false, daemon: false }

test.each([
	['edge/app.ts', { worker: true }],
	['edge/web/pages/landing/landing.css', { pages: true }],
	['schema/tables/users.ts', { worker: true }],
	['schema/contract/video/fleet.ts', { worker: true, daemon: true }],
	['schema/migrations/0001_x.sql', { migrations: true }],
	['transcoder-daemon/tasks/video.ts', { daemon: true }],
	['wrangler.toml', { config: true }],
	['README.md', {}],
	['edge/web/shared-with-worker.ts', { pages: true, worker: true }],
])('npm run dev reloads only what depends on %s', (name, expected) => {
	const isInWorker = (path: string) => path === 'edge/web/shared-with-worker.ts'
	expect(findAffectedParts([join('/repo', name)], '/repo', isInWorker)).toEqual({ ...nothing, ...expected })
})

test('npm run dev answers a waiting page with the next change, or at once with an earlier one', async () => {
	const changes = openChanges()
	const first = changes.version()
	const waiting = changes.next(first)
	changes.announce()
	expect(await waiting).toBe(changes.version())
	expect(await waiting).not.toBe(first)
	expect(await changes.next(first)).toBe(changes.version())
	expect(openChanges().version()).not.toBe(first)
})

test('npm run dev ends waiting requests after a timeout and when the server closes', async () => {
	const short = openChanges(1)
	expect(await short.next(short.version())).toBe(short.version())
	const closing = openChanges()
	const waiting = closing.next(closing.version())
	closing.close()
	expect(await waiting).toBe(closing.version())
	expect(await closing.next(closing.version())).toBe(closing.version())
})

test.each([
	[
		"default-src 'none'; style-src 'self'",
		"default-src 'none'; style-src 'self'; script-src 'nonce-n'; connect-src http://h/_dev/changes",
	],
	[
		"default-src 'self'; script-src 'self'; connect-src 'none'",
		"default-src 'self'; script-src 'self' 'nonce-n'; connect-src http://h/_dev/changes",
	],
	["frame-ancestors 'none'", "frame-ancestors 'none'"],
])('npm run dev extends the page policy by the reload script alone: %s', (policy, widened) => {
	expect(allowReload(policy, 'n', 'http://h/_dev/changes')).toBe(widened)
})
