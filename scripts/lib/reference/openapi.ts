export type Schema = {
	$ref?: string
	type?: string | string[]
	format?: string
	description?: string
	enum?: unknown[]
	const?: unknown
	properties?: Record<string, Schema>
	required?: string[]
	items?: Schema
	anyOf?: Schema[]
	oneOf?: Schema[]
	additionalProperties?: boolean | Schema
	minimum?: number
	maximum?: number
	maxLength?: number
	default?: unknown
}
export type Parameter = {
	$ref?: string
	name: string
	in: string
	required?: boolean
	description?: string
	schema: Schema
}
type Media = { schema?: Schema; example?: unknown }
export type Message = { $ref?: string; description?: string; content?: Record<string, Media> }
export type Described = {
	operationId: string
	summary: string
	description?: string
	tags: string[]
	parameters?: Parameter[]
	requestBody?: Message
	responses: Record<string, Message>
	'x-codeSamples'?: { label: string; source: string }[]
}
export type OpenApi = {
	info: { title: string; version: string; description: string }
	tags: { name: string; description: string }[]
	'x-tagGroups': { name: string; tags: string[] }[]
	paths: Record<string, Record<string, Described>>
	webhooks: Record<string, Record<string, Described>>
	components: Record<string, Record<string, unknown>>
}
export type Route = { method: string; path: string; op: Described }

/** Returns what a reference points to. */
export function resolve<T extends { $ref?: string }>(document: OpenApi, value: T): T {
	if (value.$ref === undefined) return value
	const [kind = '', name = ''] = value.$ref.replace('#/components/', '').split('/')
	return document.components[kind]?.[name] as T
}

/** Returns the operations with a tag, in the order of the document; webhooks after them. */
export const listRoutes = (document: OpenApi, tag: string): Route[] =>
	[
		...Object.entries(document.paths),
		...Object.entries(document.webhooks).map(([type, methods]) => [`event ${type}`, methods] as const),
	].flatMap(([path, methods]) =>
		Object.entries(methods)
			.filter(([, op]) => op.tags.includes(tag))
			.map(([method, op]) => ({ method: method.toUpperCase(), path, op })),
	)
