/** One story: made in the morning, finished soon after, expiring later. Other times are the first. */
export const times: Readonly<Record<string, string>> = {
	updatedAt: '2026-03-14T09:31:08.420Z',
	updated_at: '2026-03-14T09:31:08.420Z',
	endedAt: '2026-03-14T09:31:08.420Z',
	finishedAt: '2026-03-14T09:31:08.420Z',
	lastSeenAt: '2026-03-14T09:31:08.420Z',
	lastUsedAt: '2026-03-14T09:31:08.420Z',
	leaseUntil: '2026-03-14T09:27:53.000Z',
	access_token_expires_at: '2026-03-14T10:26:53.000Z',
	expiresAt: '2026-03-15T09:26:53.000Z',
	// Requests must work when they are copied.
	'request.expiresAt': '2031-01-01T00:00:00.000Z',
	'updateOrgTier.until': '2031-01-01T00:00:00.000Z',
	provedUntil: '2026-03-14T09:36:53.000Z',
	refresh_token_expires_at: '2026-04-13T09:26:53.000Z',
	scheduled_for: '2026-04-13T09:26:53.000Z',
	currentPeriodEnd: '2026-04-14T09:26:53.000Z',
	createdAfter: '2026-03-01T00:00:00.000Z',
	createdBefore: '2026-04-01T00:00:00.000Z',
	from: '2026-03-01T00:00:00.000Z',
	since: '2026-03-01T00:00:00.000Z',
	to: '2026-04-01T00:00:00.000Z',
	until: '2026-04-01T00:00:00.000Z',
	starts_at: '2031-05-02T17:00:00.000Z',
	ends_at: '2031-05-02T19:30:00.000Z',
}

export const usualTime = '2026-03-14T09:26:53.000Z'
