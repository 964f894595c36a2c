import { createApp } from '../../../edge/app.ts'

export { LiveStreams } from '../../../edge/platform/live-streams/live-streams.ts'
export { Fleet } from '../../../edge/video/fleet/fleet-object.ts'

const statements = new Set<string>()
const app = createApp({ onStatement: (sql) => void statements.add(sql) })

/** Records the text of every statement of the Worker; GET /statements returns and clears them. */
export default {
	fetch(request: Request, bindings: Parameters<typeof app.fetch>[1], ctx: Parameters<typeof app.fetch>[2]) {
		if (new URL(request.url).pathname !== '/statements') return app.fetch(request, bindings, ctx)
		const seen = [...statements]
		statements.clear()
		return Response.json(seen)
	},
}
