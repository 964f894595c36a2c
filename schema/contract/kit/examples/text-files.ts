const analytics = 'at,starts,views,watchedMs,uniques\r\n2026-03-14T09:00:00.000Z,15,14,1260000,11\r\n'

const auditLog =
	'createdAt,id,orgId,action,actorKind,actorId\r\n2026-03-14T09:26:53.000Z,aud_01k9x3v7qzh4t8c2m6r0p3w7n5,org_01k9x3v7qzh4t8c2m6r0p3w7n5,api_key.created,user,7\r\n'

const event = (name: string, id: string, data: object) =>
	`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`

const unnamedEvent = (id: string, data: object) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`

/** Examples of responses that are text, by operation, or by media type where one fits all. */
export const textFiles: Readonly<Record<string, string>> = {
	getAssetAnalyticsCsv: analytics,
	getAnalyticsOverviewCsv: analytics,
	getAuditLogCsv: auditLog,
	getInstallationAuditLogCsv: auditLog,
	streamAssetProgress: event('progress', 'processing.processing.encoding.42', {
		status: 'processing',
		currentStep: 'encoding',
		jobStatus: 'processing',
		progress: 42,
		estimatedSecondsLeft: 24,
		errorMessage: null,
	}),
	streamLiveCount: event('live', '14', { viewers: 14, at: '2026-03-14T09:26:53.000Z' }),
	streamNotifications: event('notification', '9031', { id: 9031, kind: 'post_comment' }),
	streamCommunity: unnamedEvent('7', { type: 'post.created', space_id: 12, post_id: 2071 }),
	streamEvents: unnamedEvent('18205', {
		sequence: 18_205,
		type: 'asset.ready',
		data: { assetId: 'ast_01k9x3v7qzh4t8c2m6r0p3w7n5' },
	}),
	getMetrics:
		'# HELP playhouse_database_up Whether the database responds\n# TYPE playhouse_database_up gauge\nplayhouse_database_up 1\n',
	'text/html': '<!doctype html>\n<title>Unsubscribe</title>\n',
	'text/calendar':
		'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Playhouse//Community//EN\r\nBEGIN:VEVENT\r\nUID:event-88@makers.example.com\r\nDTSTAMP:20260314T092653Z\r\nDTSTART:20310502T170000Z\r\nDTEND:20310502T193000Z\r\nSUMMARY:Spring screening\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
	'application/cmcd': 'cid="9ZqLr2YpXn8sBd4mhT3kVw",e=ps,sid="a1b2c3d4e5f6",sta=p,ts=1773480413000,v=2\n',
	'text/cmcd': 'cid="9ZqLr2YpXn8sBd4mhT3kVw",e=ps,sid="a1b2c3d4e5f6",sta=p,ts=1773480413000,v=2\n',
}
