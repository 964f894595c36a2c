import { expect, test } from 'vitest'
import * as apiKeys from '#schema/contract/accounts/api-keys.ts'
import * as auditLog from '#schema/contract/accounts/audit/audit-log.ts'
import { getMe, switchOrg } from '#schema/contract/accounts/identity.ts'
import * as orgMembers from '#schema/contract/accounts/org-members.ts'
import * as orgs from '#schema/contract/accounts/orgs.ts'
import { listSessions } from '#schema/contract/accounts/sessions.ts'
import * as suspension from '#schema/contract/accounts/suspension.ts'
import * as webhookLog from '#schema/contract/accounts/webhooks/deliveries.ts'
import * as webhooks from '#schema/contract/accounts/webhooks/endpoints.ts'
import * as chapters from '#schema/contract/ai/chapters.ts'
import * as highlights from '#schema/contract/ai/highlights.ts'
import * as subtitles from '#schema/contract/ai/subtitles/subtitles.ts'
import * as transcripts from '#schema/contract/ai/transcripts.ts'
import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import * as impersonation from '#schema/contract/operations/admin/impersonation.ts'
import * as adminOrgs from '#schema/contract/operations/admin/orgs.ts'
import * as assets from '#schema/contract/video/assets.ts'
import * as audio from '#schema/contract/video/audio.ts'
import * as collections from '#schema/contract/video/collections.ts'
import * as downloads from '#schema/contract/video/downloads.ts'
import { cancelJob, getJob } from '#schema/contract/video/processing/jobs.ts'
import { makeThumbnail } from '#schema/contract/video/processing/thumbnail-frame.ts'
import { getAssetTimeline } from '#schema/contract/video/processing/timeline.ts'
import * as resumable from '#schema/contract/video/resumable-uploads.ts'
import * as transcoding from '#schema/contract/video/transcoding.ts'
import * as uploads from '#schema/contract/video/uploads.ts'
import { getAssetAnalytics, getAssetAnalyticsCsv } from '#schema/contract/watch/analytics/asset-analytics.ts'
import * as liveViewers from '#schema/contract/watch/analytics/live-viewers.ts'
import { getPlaybackSession } from '#schema/contract/watch/analytics/playback-sessions.ts'
import { sendPlayerEvents } from '#schema/contract/watch/analytics/player-events.ts'
import * as comments from '#schema/contract/watch/comments.ts'
import * as playback from '#schema/contract/watch/playback.ts'
import { getSettings, updateSettings } from '#schema/contract/watch/settings/settings.ts'
import { openWorld } from '../../support/edge/world.ts'
import { wholePng } from '../../support/shared/whole-pictures.ts'
import { startDevice } from '../accounts/device-flow/device.ts'

test('one organization cannot repeat any request of another, and none of its data reaches the other', async () => {
	const world = await openWorld({}, { fetchPublic: async () => new Response('ok') })
	const a = await world.person({ email: 'secret-a@example.org', name: 'Secretive A' })
	const b = await world.person()
	const member = await world.person({ email: 'secret-member@example.org', name: 'Secretive Member' })
	const seen: string[] = []
	// Not recorded: B may change the settings of B's own organization.
	await world.ask(updateSettings, { body: { allowedEmbedDomains: ['secret.example.org'] } }, a)
	// Not recorded: any program may start one.
	const device = await startDevice(world)
	const recorded = world.record()

	const params = { orgId: a.orgId }
	await world.ask(
		orgs.updateOrg,
		{ params, body: { name: 'Secret plans', webhookUrl: 'https://secret.example.org/' } },
		a,
	)
	const webhookConfig = { params, body: { maxInFlight: 1 } }
	const endpoint = await world.ask(webhooks.updateWebhookConfig, webhookConfig, a)
	const ofEndpoint = { ...params, endpointId: endpoint.ok.data?.id ?? '' }
	await world.ask(webhooks.getWebhookConfig, { params }, a)
	await world.ask(webhooks.listWebhookEndpoints, { params }, a)
	await world.ask(webhooks.getWebhookEndpoint, { params: ofEndpoint }, a)
	await world.ask(webhooks.updateWebhookEndpoint, { params: ofEndpoint, body: { maxInFlight: 2 } }, a)
	await world.ask(webhooks.rotateWebhookSecret, { params: ofEndpoint }, a)
	await world.ask(webhooks.testWebhookConfig, { params }, a)
	await world.ask(webhooks.testWebhookEndpoint, { params: ofEndpoint }, a)
	await world.ask(
		webhooks.createWebhookEndpoint,
		{ params, body: { url: 'https://secret.example.org/2' } },
		a,
	)
	await world.ask(orgs.getOrg, { params }, a)
	await world.ask(orgs.getOrgUsage, { params }, a)
	await world.ask(auditLog.listAuditLog, { params, query: {} }, a)
	await world.ask(auditLog.getAuditLogCsv, { params, query: {} }, a)
	await world.ask(getSettings, {}, a)
	await world.ask(adminOrgs.getAnyOrg, { params }, a)
	await world.ask(adminOrgs.listAssetsOfOrg, { params, query: {} }, a)
	await world.ask(adminOrgs.updateOrgTier, { params, body: { tier: null } }, a)
	const key = await world.ask(apiKeys.createApiKey, { params, body: { name: 'Secret key' } }, a)
	await world.ask(apiKeys.listApiKeys, { params, query: {} }, a)
	const invitation = await world.ask(orgMembers.inviteMember, { params, body: { email: member.email } }, a)
	await world.ask(orgMembers.listInvitations, { params, query: {} }, a)
	await world.deps((d) =>
		d.db.all(`insert into org_members values ('${a.orgId}', ${member.userId}, 'member', 1) returning role`),
	)
	await world.ask(orgMembers.listMembers, { params, query: {} }, a)
	const memberParams = { ...params, userId: String(member.userId) }
	await world.ask(orgMembers.updateMember, { params: memberParams, body: { role: 'admin' } }, a)

	const collection = await world.ask(
		collections.createCollection,
		{ body: { name: 'Secret films', color: 'red' } },
		a,
	)
	const inCollection = { collectionId: collection.ok.data.id }
	await world.ask(collections.updateCollection, { params: inCollection, body: { name: 'Secret videos' } }, a)
	await world.ask(collections.listCollections, { query: {} }, a)
	await world.ask(collections.getCollection, { params: inCollection }, a)
	const asset = await world.ask(assets.createAsset, { body: { title: 'Secret film' } }, a)
	const ofAsset = { assetId: asset.ok.data.id }
	const { ok: events } = await world.ask(webhookLog.readEvents, { query: {} }, a)
	const ofEvent = { ...params, eventId: events.data[0]?.id ?? '' }
	await world.ask(webhookLog.listWebhookEvents, { params, query: {} }, a)
	await world.ask(webhookLog.getWebhookEvent, { params: ofEvent }, a)
	await world.ask(webhookLog.retryWebhookEvent, { params: ofEvent }, a)
	const since = '2037-01-01T00:00:00Z'
	await world.ask(webhookLog.recoverWebhookEvents, { params, body: { since, only: 'all' } }, a)
	await world.ask(assets.updateAsset, { params: ofAsset, body: { ...inCollection } }, a)
	await world.ask(assets.getAsset, { params: ofAsset }, a)
	await world.ask(assets.listAssets, { query: {} }, a)
	await world.ask(uploads.createUploadUrl, { params: ofAsset }, a)
	const token = await world.ask(uploads.createUploadToken, { params: ofAsset, body: { fileSize: 9 } }, a)
	const tus = (headers: Record<string, string>) => ({
		token: token.ok.data.token,
		headers: { 'tus-resumable': '1.0.0', ...headers },
	})
	const metadata = { 'upload-metadata': `filename ${btoa(token.ok.data.sourceKey)}` }
	const begun = await world.ask(resumable.beginUpload, {}, tus({ 'upload-length': '9', ...metadata }))
	const ofUpload = { params: { uploadId: String(begun.headers.get('location')?.split('/').at(-1)) } }
	await world.ask(resumable.inspectUpload, ofUpload, tus({}))
	const appended = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
	await world.ask(resumable.appendUpload, ofUpload, { ...tus(appended), bytes: 'secret' })
	await world.ask(resumable.endUpload, ofUpload, tus({}))
	await world.ask(uploads.completeUpload, { params: ofAsset }, a)
	await world.ask(uploads.uploadSource, { params: ofAsset }, { ...a, bytes: 'secret film' })
	const address = { sourceUrl: 'https://example.org/secret.mp4' }
	await world.ask(uploads.importSource, { params: ofAsset, body: address }, a)
	await world.ask(assets.listAssets, { query: inCollection }, a)
	for (const q of ['secret', 'ecre']) await world.ask(assets.searchAssets, { query: { q } }, a)
	const job = await world.ask(transcoding.processAsset, { params: ofAsset }, a)
	await world.ask(getJob, { params: { jobId: job.ok.data.jobId } }, a)
	await world.ask(assets.getAsset, { params: ofAsset }, a)
	await world.ask(cancelJob, { params: { jobId: job.ok.data.jobId } }, a)
	await world.deps((d) => d.db.all("update jobs set status = 'failed' returning 1"))
	await world.deps((d) => d.db.all("update assets set status = 'error', duration_sec = 9 returning 1"))
	const segments = [{ start: 0, end: 1, text: 'Secret' }]
	const spoken = { transcript: { language: 'en', segments } }
	await world.ask(transcripts.replaceTranscript, { params: ofAsset, body: spoken }, a)
	await world.ask(transcripts.getTranscript, { params: ofAsset }, a)
	const inFrench = { params: { ...ofAsset, lang: 'fr' } }
	await world.ask(subtitles.setSubtitles, inFrench, { ...a, bytes: '00:00:00,000 --> 00:00:01,000\nSecret' })
	await world.ask(subtitles.listSubtitles, { params: ofAsset }, a)
	await world.ask(subtitles.translateSubtitles, { params: ofAsset, body: { languages: ['de'] } }, a)
	await world.ask(subtitles.deleteSubtitles, inFrench, a)
	const divided = { chapters: [{ title: 'Secret', startTime: 0 }] }
	await world.ask(chapters.replaceChapters, { params: ofAsset, body: divided }, a)
	await world.ask(chapters.getChapters, { params: ofAsset }, a)
	await world.ask(transcoding.runAiSteps, { params: ofAsset, body: { steps: ['subtitles'] } }, a)
	const ofHighlight = { ...ofAsset, highlightId: `hlt_${'0'.repeat(26)}` }
	await world.deps((d) =>
		d.db.all(
			`insert into highlights (id, asset_id, org_id, title, description, start_ms, end_ms, score, reasons, status, task_id, clip_bytes, has_poster, created_at) values ('${ofHighlight.highlightId}', '${ofAsset.assetId}', '${a.orgId}', 'Secret', '', 0, 1, 1, '[]', 'ready', 'tsk_1', 0, 0, 0) returning id`,
		),
	)
	await world.ask(highlights.updateHighlight, { params: ofHighlight, body: { title: 'Secret part' } }, a)
	await world.ask(highlights.deleteHighlight, { params: ofHighlight }, a)
	await world.ask(transcoding.streamAssetProgress, { params: ofAsset }, a)
	await world.ask(getAssetTimeline, { params: ofAsset }, a)
	await world.ask(getAssetAnalytics, { params: ofAsset, query: {} }, a)
	await world.ask(getAssetAnalyticsCsv, { params: ofAsset, query: {} }, a)
	const watched = { kind: 'play', playbackId: asset.ok.data.playbackId, sessionId: 'watching', at: 1 }
	await world.ask(sendPlayerEvents, { body: { events: [watched] } }, a)
	await world.ask(getPlaybackSession, { params: { ...ofAsset, sessionId: watched.sessionId } }, a)
	await world.ask(liveViewers.getLiveCount, { params: ofAsset }, a)
	await world.ask(liveViewers.streamLiveCount, { params: ofAsset }, a)
	const suspended = { params: { orgId: a.orgId }, body: { reason: 'billing' as const } }
	for (const op of [suspension.suspendOrg, suspension.unsuspendOrg]) await world.ask(op, suspended, a)
	const wanted = { userId: member.userId, orgId: a.orgId, reason: 'Secret reason' }
	const started = await world.ask(impersonation.impersonate, { body: wanted }, a)
	const ofImpersonation = { ...params, impersonationId: started.ok.data.impersonation.id }
	await world.ask(impersonation.listImpersonations, { params, query: {} }, a)
	await world.ask(impersonation.endImpersonation, { params: ofImpersonation }, a)
	await device.approve(a)
	await world.ask(impersonation.setSupportAccess, { params, body: { allowed: true } }, a)
	await world.ask(assets.setThumbnail, { params: ofAsset }, { ...a, bytes: wholePng })
	await world.ask(assets.resetThumbnail, { params: ofAsset }, a)
	await world.ask(makeThumbnail, { params: ofAsset, body: { atSec: 1 } }, a)
	await world.ask(assets.createPlaybackToken, { params: ofAsset }, a)
	await world.ask(assets.revokePlaybackTokens, { params: ofAsset }, a)
	await world.ask(assets.deleteAsset, { params: ofAsset, query: { trash: 'true' } }, a)
	await world.ask(assets.restoreAsset, { params: ofAsset }, a)
	await world.ask(playback.getAssetPlayback, { params: ofAsset }, a)
	await world.ask(downloads.downloadAsset, { params: ofAsset, query: {} }, a)
	await world.ask(downloads.downloadAudio, { params: ofAsset }, a)
	await world.ask(downloads.downloadAiAudio, { params: ofAsset }, a)
	await world.ask(audio.updateAudioConfig, { params: ofAsset, body: { ai: audio.standardAudioConfig.ai } }, a)
	await world.deps((d) =>
		d.db.all(
			`insert into comments (id, asset_id, author_name, body, created_at) values ('cmt_00000000000000000000000000', '${ofAsset.assetId}', 'Secret', 'Secret', 1) returning 1`,
		),
	)
	const ofComment = { ...ofAsset, commentId: 'cmt_00000000000000000000000000' }
	await world.ask(comments.listAssetComments, { params: ofAsset, query: {} }, a)
	await world.ask(comments.updateComment, { params: ofComment, body: { hidden: true } }, a)
	await world.ask(getMe, {}, a)
	await world.ask(listSessions, {}, a)
	await world.ask(orgs.listOrgs, { query: {} }, a)
	await world.ask(switchOrg, { body: { orgId: a.orgId } }, a)
	await world.ask(
		orgMembers.revokeInvitation,
		{ params: { ...params, invitationId: invitation.ok.data.id } },
		a,
	)
	await world.ask(apiKeys.deleteApiKey, { params: { ...params, keyId: key.ok.data.id } }, a)
	await world.ask(orgMembers.removeMember, { params: memberParams }, a)
	const requests = recorded()
	// These operations would create something in B's own organization, which is not a leak.
	const replayed = requests.filter(({ op }) => !['createAsset', 'createCollection'].includes(op.id))
	// These deletions target existing rows, so that an error does not just mean "already deleted".
	for (const op of [
		...[comments.deleteComment, assets.deleteAsset, collections.deleteCollection],
		webhooks.deleteWebhookEndpoint,
	])
		replayed.push({
			op,
			request: (token) => deletion(op, { ...ofComment, ...inCollection, ...ofEndpoint }, token),
		})

	const before = await world.dump()
	for (const { op, request } of replayed) {
		const replay = request(b.token)
		const response = await world.fetch(replay)
		const text = await response.text()
		seen.push(text)
		if (op.path.includes('{') || op.id === 'switchOrg')
			expect([401, 403, 404], op.id).toContain(response.status)
	}
	expect(await world.dump()).toEqual(before)
	for (const secret of [
		a.orgId,
		a.orgSlug,
		a.email,
		'Secret',
		'secret',
		key.ok.data.key,
		invitation.ok.data.id,
		asset.ok.data.id,
		asset.ok.data.playbackId,
	])
		expect(seen.join('\n')).not.toContain(secret)

	const covered = new Set(replayed.map(({ op }) => op.id))
	const missing = allOperations.filter(
		(op) => (op.auth === 'upload' || /\{(orgId|assetId|collectionId)\}/.test(op.path)) && !covered.has(op.id),
	)
	expect(missing.map((op) => op.id)).toEqual([])
})

function deletion(op: Operation, params: Record<string, string>, token: string): Request {
	const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
	return new Request(`https://edge.test${path}`, {
		method: 'DELETE',
		headers: { authorization: `Bearer ${token}` },
	})
}
