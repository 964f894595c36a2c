import { expect, test } from 'vitest'
import { findImports, findWallProblems } from '../../../scripts/check/import-walls.ts'

test('the check of imports finds imports of values, type imports and dynamic imports', () => {
	const code = `
import { a } from './a.ts'
import type { B } from '../b/b.ts'
export { c } from '#schema/contract/c.ts'
import './d.ts'
const e = await import('zod')
const text = 'from the start'`
	expect(findImports('edge/x/x.ts', code)).toEqual([
		'edge/x/a.ts',
		'edge/b/b.ts',
		'schema/contract/c.ts',
		'edge/x/d.ts',
		'zod',
	])
})

test.each([
	['schema/contract/video/assets.ts', 'drizzle-orm'],
	['schema/tables/video/assets.ts', 'zod'],
	['edge/platform/mail/smtp.ts', 'edge/accounts/mail/templates.ts'],
	['edge/platform/mail/smtp.ts', 'hono'],
	['edge/http/route.ts', 'edge/accounts/identity/identity.ts'],
	['edge/http/body/json-body.ts', 'drizzle-orm/sqlite-core'],
	['edge/accounts/orgs/store.ts', 'edge/http/errors.ts'],
	['edge/accounts/orgs/api-key-store.ts', 'hono'],
	['edge/community/posts/member-routes.ts', 'schema/tables/community/community.ts'],
	['edge/ai/steps/provider/send-due.ts', 'edge/video/transcoding/store/task-store.ts'],
	['edge/video/assets/assets.ts', 'transcoder-daemon/config.ts'],
	['edge/accounts/identity/me/me.ts', 'edge/community/search/index-content.ts'],
	['edge/video/assets/assets.ts', 'edge/community/posts/posts.ts'],
	['edge/ai/highlights/view.ts', 'edge/watch/playback/view.ts'],
	['edge/watch/playback/view.ts', 'edge/operations/admin/search.ts'],
	['schema/contract/accounts/orgs.ts', 'schema/contract/video/assets.ts'],
	['schema/tables/video/assets.ts', 'schema/tables/watch/playback.ts'],
	['transcoder-daemon/run/work.ts', 'edge/platform/clock.ts'],
	['transcoder-daemon/run/work.ts', 'schema/tables/video/fleet.ts'],
	['sdk/src/call.ts', 'schema/contract/kit/operation.ts'],
	['sdk/src/call.ts', 'zod'],
	['scripts/start/main.ts', 'test/support/shared/needs.ts'],
])('the check of imports reports that %s may not import %s', (path, target) => {
	expect(findWallProblems([{ path, imports: [target] }])).toEqual([`${path} may not import ${target}`])
})

test('the check of imports accepts a store with tables, and a route with a verb of another feature', () => {
	expect(
		findWallProblems([
			{ path: 'edge/accounts/orgs/store.ts', imports: ['drizzle-orm', 'schema/tables/accounts/identity.ts'] },
			{ path: 'edge/accounts/orgs/routes.ts', imports: ['edge/accounts/mail/link.ts', 'edge/http/route.ts'] },
		]),
	).toEqual([])
})

test('the check of imports reports the files of a cycle, but not a file that only imports one', () => {
	const files = [
		{ path: 'edge/a/start.ts', imports: ['edge/a/one.ts'] },
		{ path: 'edge/a/one.ts', imports: ['edge/a/two.ts'] },
		{ path: 'edge/a/two.ts', imports: ['edge/a/three.ts', 'edge/a/end.ts'] },
		{ path: 'edge/a/three.ts', imports: ['edge/a/one.ts'] },
		{ path: 'edge/a/end.ts', imports: [] },
	]
	expect(findWallProblems(files)).toEqual([
		'these files import each other in a circle: edge/a/one.ts, edge/a/three.ts, edge/a/two.ts',
	])
})

test('the check of imports reports two features that import each other, even through other files', () => {
	const files = [
		{ path: 'edge/video/assets/view.ts', imports: ['edge/video/fleet/machines.ts'] },
		{ path: 'edge/video/fleet/store.ts', imports: ['edge/video/assets/assets.ts', 'edge/platform/clock.ts'] },
	]
	expect(findWallProblems(files)).toEqual([
		'features video/assets and video/fleet import each other: edge/video/assets/view.ts imports edge/video/fleet/machines.ts, edge/video/fleet/store.ts imports edge/video/assets/assets.ts',
	])
})
