import { beforeEach, describe, expect, test } from 'vitest'
import * as apiKeys from '#schema/contract/accounts/api-keys.ts'
import { getMe, login, sendCode, signup, updateMe } from '#schema/contract/accounts/identity.ts'
import * as orgMembers from '#schema/contract/accounts/org-members.ts'
import * as orgs from '#schema/contract/accounts/orgs.ts'
import { getSecuritySettings, updateSecuritySettings } from '#schema/contract/accounts/security.ts'
import { listSessions } from '#schema/contract/accounts/sessions.ts'
import { getChapters, replaceChapters } from '#schema/contract/ai/chapters.ts'
import { getAiSettings, updateAiSettings } from '#schema/contract/ai/settings.ts'
import {
	deleteSubtitles,
	listSubtitles,
	setSubtitles,
	translateSubtitles,
} from '#schema/contract/ai/subtitles/subtitles.ts'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { createAsset, deleteAsset, getAsset, listAssets, updateAsset } from '#schema/contract/video/assets.ts'
import { standardAudioConfig, updateAudioConfig } from '#schema/contract/video/audio.ts'
import { downloadAiAudio, downloadAsset, downloadAudio } from '#schema/contract/video/downloads.ts'
import { getJob } from '#schema/contract/video/processing/jobs.ts'
import { getAssetTimeline } from '#schema/contract/video/processing/timeline.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import {
	completeUpload,
	createUploadToken,
	createUploadUrl,
	importSource,
	uploadSource,
} from '#schema/contract/video/uploads.ts'
import { deleteLogo, setLogo } from '#schema/contract/watch/settings/logo.ts'
import { getPublicSettings } from '#schema/contract/watch/settings/public-settings.ts'
import {
	getEncodingSettings,
	getSettings,
	updateEncodingSettings,
	updateSettings,
} from '#schema/contract/watch/settings/settings.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'
import { wholePng } from '../../support/shared/whole-pictures.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

/** Counts the statements of each request. Tests compare a small and a large database, which must give the same counts. */
async function costs(who: Person): Promise<Record<string, number>> {
	const params = { orgId: who.orgId }
	const { key } = (await world.ask(apiKeys.createApiKey, { params, body: { name: 'k' } }, who)).ok.data
	// The first use of a key records the time of its use.
	await world.ask(orgs.getOrg, { params }, { key })
	const asked = {
		'GET me': await world.ask(getMe, {}, who),
		'PATCH me': await world.ask(updateMe, { body: { name: crypto.randomUUID() } }, who),
		'GET sessions': await world.ask(listSessions, {}, who),
		'GET org': await world.ask(orgs.getOrg, { params }, who),
		'GET org by key': await world.ask(orgs.getOrg, { params }, { key }),
		'GET settings': await world.ask(getSettings, {}, who),
		'PATCH settings': await world.ask(updateSettings, { body: { theme: 'auto' } }, who),
		'PUT settings/logo': await world.ask(setLogo, {}, { ...who, bytes: wholePng }),
		'DELETE settings/logo': await world.ask(deleteLogo, {}, who),
		'GET settings/security': await world.ask(getSecuritySettings, {}, who),
		'PATCH settings/security': await world.ask(
			updateSecuritySettings,
			{ body: { recentProofForApiKeys: false } },
			who,
		),
		'GET settings/public': await world.ask(getPublicSettings, { query: { org: who.orgSlug } }),
		'GET settings/encoding': await world.ask(getEncodingSettings, {}, who),
		'PATCH settings/encoding': await world.ask(updateEncodingSettings, { body: { codecs: ['h264'] } }, who),
		'GET settings/ai': await world.ask(getAiSettings, {}, who),
		'PATCH settings/ai': await world.ask(
			updateAiSettings,
			{ body: { transcription: { provider: 'deepgram', model: crypto.randomUUID() } } },
			who,
		),
		'GET orgs': await world.ask(orgs.listOrgs, { query: {} }, who),
		'GET usage': await world.ask(orgs.getOrgUsage, { params }, who),
		'GET members': await world.ask(orgMembers.listMembers, { params, query: {} }, who),
		'GET members, next page': await world.ask(
			orgMembers.listMembers,
			{ params, query: { cursor: cursorFor(1, 1) } },
			who,
		),
		'GET invitations': await world.ask(orgMembers.listInvitations, { params, query: {} }, who),
		'GET keys': await world.ask(apiKeys.listApiKeys, { params, query: {} }, who),
		// From the origin of the sign-up, so that the login causes no notice.
		'POST login': await world.ask(
			login,
			{ body: { email: who.email, password: who.password } },
			{ ip: '198.51.100.1' },
		),
		'POST otp/send': await world.ask(sendCode, { body: { email: `${crypto.randomUUID()}@example.org` } }),
		'POST signup': await world.ask(
			signup,
			{ body: { email: `${crypto.randomUUID()}@example.org`, password: 'long enough', name: 'N' } },
			{ ip: crypto.randomUUID() },
		),
	}
	return Object.fromEntries(Object.entries(asked).map(([name, answer]) => [name, answer.statements.length]))
}

const cursorFor = (at: number, id: number) => btoa(JSON.stringify([at, id])).replaceAll('=', '')

const fill = (count: number) =>
	world.deps(async (d) => {
		const many = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
		await d.db.all(
			`insert into users (email, name, token_version, is_superadmin, created_at, updated_at) ${many} select 'u' || i || '@many.test', 'U', 1, 0, i, i from n returning 1`,
		)
		await d.db.all(
			`insert into org_members ${many} select '${ada.orgId}', 1000 + i, 'member', i from n returning 1`,
		)
		await d.db.all(
			`insert into org_members ${many} select 'org_' || printf('%026d', i), ${ada.userId}, 'member', i from n returning 1`,
		)
		await d.db.all(
			`insert into orgs (id, slug, name, tier, webhook_url, suspended_at, created_at, updated_at, video_codecs, created_by_user_id) ${many} select 'org_' || printf('%026d', i), 'slug-' || i, 'O', 'free', null, null, i, i, '["h264"]', null from n returning 1`,
		)
		await d.db.all(
			`insert into api_keys ${many} select 'key_' || printf('%026d', i), '${ada.orgId}', 'k', 'hash' || i, 'p', 'l', '["read"]', 1, i, null, null from n returning 1`,
		)
		await d.db.all(
			`insert into sessions (id, user_id, user_agent, ip, by_code, created_at, last_seen_at, expires_at, proved_at, renewal_id, former_renewal_id, renewed_at, country, second_factor_at) ${many} select 'ses_' || printf('%026d', i), 1000 + i, '', '', 0, i, i, 9e15, i, '', null, null, null, null from n returning 1`,
		)
	})

const findJobId = async ({ assetId }: { assetId: string }): Promise<string> => {
	const [job] = await world.deps(({ db }) =>
		db.all<{ id: string }>(`select id from jobs where asset_id = '${assetId}'`),
	)
	return job?.id ?? ''
}

async function expectNoWalk(sql: string): Promise<void> {
	const plan = await world.plan(sql)
	// A bare SCAN of a table walks it. `SCAN CONSTANT ROW`, scans along an index and scans of rows within the statement
	// don't.
	const walks = plan.filter(
		(line) =>
			/^SCAN (?!CONSTANT ROW|place\b|\d)/.test(line) && !/USING (COVERING )?INDEX|VIRTUAL TABLE/.test(line),
	)
	expect(walks, `${sql}\n${plan.join('\n')}`).toEqual([])
}

describe('SQL statements', () => {
	test('the SQL statements of a request are few and independent of the amount of data', async () => {
		const small = await costs(ada)
		await fill(3_000)
		expect(await costs(ada)).toEqual(small)
		expect(small).toEqual({
			'GET me': 2,
			'PATCH me': 5,
			'GET sessions': 3,
			'GET org': 2,
			'GET org by key': 2,
			'GET settings': 2,
			'PATCH settings': 3,
			'PUT settings/logo': 6,
			'DELETE settings/logo': 5,
			'GET settings/security': 2,
			'PATCH settings/security': 4,
			'GET settings/public': 1,
			'GET settings/ai': 3,
			'PATCH settings/ai': 8,
			'GET settings/encoding': 2,
			'PATCH settings/encoding': 3,
			'GET orgs': 2,
			'GET usage': 2,
			'GET members': 2,
			'GET members, next page': 2,
			'GET invitations': 2,
			'GET keys': 2,
			'POST login': 10,
			'POST otp/send': 2,
			'POST signup': 10,
		})
	})

	test('requests about a video run few SQL statements, and each finds its rows by an index', async () => {
		const make = async () => ({
			assetId: (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data.id,
		})
		const [params, other, third] = [await make(), await make(), await make()]
		await world.deps(({ db }) => db.all('update assets set duration_sec = 9 returning 1'))
		const languageModel = { provider: 'anthropic' as const, model: 'm' }
		await world.ask(updateAiSettings, { body: { languageModel } }, ada)
		const asked = {
			'PATCH asset': await world.ask(updateAsset, { params, body: { title: 'Better' } }, ada),
			'PATCH audio-config': await world.ask(
				updateAudioConfig,
				{ params, body: { ai: standardAudioConfig.ai } },
				ada,
			),
			'POST upload-url': await world.ask(createUploadUrl, { params }, ada),
			'POST upload-token': await world.ask(createUploadToken, { params, body: { fileSize: 1 } }, ada),
			'POST upload-complete': await world.ask(completeUpload, { params }, ada),
			'PUT upload': await world.ask(uploadSource, { params }, { ...ada, bytes: 'film' }),
			'POST import': await world.ask(
				importSource,
				{ params: other, body: { sourceUrl: 'https://example.org/' } },
				ada,
			),
			'POST process': await world.ask(processAsset, { params: other }, ada),
			'GET asset': await world.ask(getAsset, { params }, ada),
			'GET job': await world.ask(getJob, { params: { jobId: await findJobId(other) } }, ada),
			'GET timeline': await world.ask(getAssetTimeline, { params: other }, ada),
			'GET assets': await world.ask(listAssets, { query: {} }, ada),
			'GET download': await world.ask(downloadAsset, { params, query: {} }, ada),
			'GET audio': await world.ask(downloadAudio, { params }, ada),
			'GET ai-audio': await world.ask(downloadAiAudio, { params }, ada),
			'PUT subtitles': await world.ask(
				setSubtitles,
				{ params: { ...params, lang: 'en' } },
				{ ...ada, bytes: '00:00:00,000 --> 00:00:01,000\nHi' },
			),
			'GET subtitles': await world.ask(listSubtitles, { params }, ada),
			'POST translations': await world.ask(
				translateSubtitles,
				{ params, body: { languages: ['de', 'fr'] } },
				ada,
			),
			'DELETE subtitles': await world.ask(deleteSubtitles, { params: { ...params, lang: 'en' } }, ada),
			'PATCH transcript': await world.ask(
				replaceTranscript,
				{ params: third, body: { transcript: { segments: [{ start: 0, end: 1, text: 'Film' }] } } },
				ada,
			),
			'PATCH chapters': await world.ask(
				replaceChapters,
				{ params: third, body: { chapters: [{ title: 'Start', startTime: 0 }] } },
				ada,
			),
			'GET chapters': await world.ask(getChapters, { params: third }, ada),
			'DELETE asset': await world.ask(deleteAsset, { params: third }, ada),
		}
		const counts = Object.entries(asked).map(([name, answer]) => [name, answer.statements.length])
		expect(Object.fromEntries(counts)).toEqual({
			'PATCH asset': 6,
			'PATCH audio-config': 2,
			'POST upload-url': 4,
			'POST upload-token': 3,
			'POST upload-complete': 3,
			'PUT upload': 9,
			'POST import': 7,
			'POST process': 9,
			'GET asset': 3,
			'GET job': 2,
			'GET timeline': 7,
			'GET assets': 3,
			'GET download': 2,
			'GET audio': 2,
			'GET ai-audio': 2,
			'PUT subtitles': 7,
			'GET subtitles': 4,
			'POST translations': 11,
			'DELETE subtitles': 5,
			'PATCH transcript': 7,
			'PATCH chapters': 3,
			'GET chapters': 2,
			'DELETE asset': 23,
		})
		for (const { statements } of Object.values(asked)) for (const sql of statements) await expectNoWalk(sql)
	})

	test('SQL statements of requests never scan a whole table', async () => {
		await fill(300)
		const seen = new Set<string>()
		const params = { orgId: ada.orgId }
		const take = async (answer: Promise<{ statements: string[] }>) => {
			for (const sql of (await answer).statements) seen.add(sql)
		}
		await take(world.ask(getMe, {}, ada))
		await take(world.ask(listSessions, {}, ada))
		for (const query of [{}, { cursor: cursorFor(1, 1) }]) {
			await take(world.ask(orgs.listOrgs, { query }, ada))
			await take(world.ask(orgMembers.listMembers, { params, query }, ada))
			await take(world.ask(orgMembers.listInvitations, { params, query }, ada))
			await take(world.ask(apiKeys.listApiKeys, { params, query }, ada))
		}
		await take(world.ask(orgs.getOrgUsage, { params }, ada))
		await take(world.ask(getSettings, {}, ada))
		await take(world.ask(getSecuritySettings, {}, ada))
		await take(world.ask(getPublicSettings, { query: { org: ada.orgSlug } }))
		for (let i = 0; i < 2; i++) await take(world.ask(setLogo, {}, { ...ada, bytes: wholePng }))
		await take(world.ask(updateSettings, { body: { logoUrl: null, player: { muted: true } } }, ada))
		await take(world.ask(login, { body: { email: ada.email, password: ada.password } }))
		await take(world.ask(sendCode, { body: { email: ada.email } }))
		await take(world.ask(orgMembers.inviteMember, { params, body: { email: 'x@example.org' } }, ada))
		await take(world.ask(apiKeys.createApiKey, { params, body: { name: 'k' } }, ada))
		expect(seen.size).toBeGreaterThan(12)
		for (const sql of seen) await expectNoWalk(sql)
	})
})
