/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../../../community/community.ts'
import { start } from './impersonate.ts'

/** What a superadmin who acts as a member may call. A new operation is closed; opening it is a change here, too. */
const readable = `
countAssets getAllowedOrigins getAnalyticsOverview getAsset getAssetAnalytics getAssetPlayback getAssetTimeline getChapters
getCollection getCommunity getCommunityDomain getCommunityOrigins getEncodingSettings getJob getLiveCount getManagedSpace getMe getOrg getOrgUsage getPlayback getPlaybackSession getPreferences getSettings
getTranscript listAssetComments listAssets listCollections listCommunities listCommunityTopics listHighlights
listManagedProfileFields listManagedSpaces listSavedViews listSpaceGroups listSubtitles listWebhookEvents logout searchAssets
streamAssetProgress streamLiveCount whoAmI
`
const writable = `
cancelJob makeThumbnail checkCommunityDomain createCollection createCommunityTopic createProfileField createSavedView createSpaceGroup processAsset
recoverWebhookEvents replaceChapters replaceTranscript resetThumbnail retryWebhookEvent runAiSteps setSubtitles
setThumbnail updateAudioConfig updateCollection updateCommunityTopic updateEncodingSettings updateHighlight
updateProfileField updateSavedView updateSpaceGroup
`
const namesIn = (text: string) => text.trim().split(/\s+/)

/** Operations for everybody read no token, and metrics have their own. */
const asked = allOperations.filter(({ auth }) => auth !== 'public' && auth !== 'metrics')
/** Where people do not sign in with a session. */
const otherCallers: readonly Operation['auth'][] = [
	...(['machine', 'member', 'upload', 'registration', 'headless-auth', 'renewal'] as const),
]

let world: World
let root: Person
let community: Community
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	community = await openCommunity(world)
})

/** Sends the operation without a body, for resources of the organization that do not exist. */
async function send(op: Operation, token: string) {
	const names = Object.keys(op.params?.shape ?? {})
	const params = Object.fromEntries(
		names.map((name) => [
			name,
			name === 'orgId' ? community.orgId : name === 'communityId' ? community.id : '999',
		]),
	)
	return world.ask(op, { params } as never, { token, headers: community.headers })
}

test.each([
	['read', false, namesIn(readable)],
	['write', true, [...namesIn(readable), ...namesIn(writable)]],
] as const)(
	'an impersonation of an owner that may %s is limited to the listed operations, and each is recorded',
	async (mode, write, listed) => {
		const { token, impersonation } = await start(world, root, community.owner, { write })
		const isListed = ({ id }: Operation) => listed.includes(id)
		const admitted: string[] = []
		const sendAll = async (ops: readonly Operation[]) => {
			for (const op of ops) {
				const answer = await send(op, token)
				if (answer.status !== 401 && answer.code !== 'forbidden') admitted.push(op.id)
				const isMarked = !otherCallers.includes(op.auth)
				expect([op.id, answer.headers.get('x-impersonation')]).toEqual([op.id, isMarked ? mode : null])
			}
		}
		const before = await world.dump()
		await sendAll(asked.filter((op) => !isListed(op)))
		// Refused requests change nothing, and are not in the log.
		expect(await world.dump()).toEqual(before)
		const isLogout = (op: Operation) => Number(op.id === 'logout')
		await sendAll(asked.filter(isListed).toSorted((a, b) => isLogout(a) - isLogout(b)))
		expect(admitted.toSorted()).toEqual(listed.toSorted())
		const entries = await select<{ operation: string; actor: number; member: number; org: string }>(
			world,
			"select details ->> 'operation' as operation, actor_user_id as actor, on_behalf_of_user_id as member, org_id as org from audit_log where action = 'impersonation.request'",
		)
		expect(entries.map(({ operation }) => operation).toSorted()).toEqual(listed.toSorted())
		for (const { actor, member, org } of entries)
			expect([actor, member, org]).toEqual([root.userId, community.owner.userId, community.orgId])
		// The last call was a logout.
		expect((await send(asked.find(({ id }) => id === 'getMe') as Operation, token)).status).toBe(401)
		expect(impersonation.write).toBe(write)
	},
)
