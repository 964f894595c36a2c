/** Cancels an unread body, which would block the connection. */
export async function cancelUnreadBody(request: Request): Promise<void> {
	if (!request.bodyUsed) await request.body?.cancel().catch(() => undefined)
}
