import { call } from './call.ts'
import { type Client, type ClientOptions, createClient } from './client.ts'
import { readEventStream } from './event-stream.ts'
import type { Asset, Resources, WebhookEvent } from './generated/operations.ts'
import { resources } from './generated/resources.ts'
import { type ConsumeOptions, consumeEvents } from './helpers/consume-events.ts'
import { type SendOptions, sendFile } from './helpers/send-file.ts'
import { unwrapWebhook } from './helpers/unwrap-webhook.ts'
import type { UploadSource } from './helpers/upload-source.ts'
import { type WaitOptions, waitUntilReady } from './helpers/wait-until-ready.ts'
import { type AnyOperation, type CallOptions, EVENT_STREAM } from './operation.ts'
import type { Input } from './request.ts'

/** A client with every operation, such as `playhouse.assets.create({ title })`. */
export type Playhouse = Resources & Helpers & { readonly client: Client }

/** Functions that send several requests, or none. */
type Helpers = {
	assets: {
		/** Wait until an asset is ready, and return the asset. */
		waitUntilReady(input: { assetId: string }, options?: WaitOptions): Promise<Asset>
	}
	events: {
		/** Call the handler with every event in order, at least once, until the signal is aborted. */
		consume(options: ConsumeOptions, handle: (event: WebhookEvent) => void | Promise<void>): Promise<void>
	}
	uploads: {
		/** Upload the source of an asset, and resume after interruptions. */
		send(source: UploadSource, options: SendOptions): Promise<void>
	}
	webhooks: {
		/** Verify the signature of a delivery, and return its event. */
		unwrap: typeof unwrapWebhook
	}
}

type Tree = { readonly [name: string]: string | Tree }

function bindResources(tree: Tree, client: Client): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(tree).map(([name, entry]) => [
			name,
			typeof entry === 'string' ? bindOperation(readOperation(entry), client) : bindResources(entry, client),
		]),
	)
}

function readOperation(words: string): AnyOperation {
	const [traits, method, path, ...query] = words.split(' ')
	return [`${method} ${path}`, Number(traits), query.join(' ')]
}

const bindOperation =
	(operation: AnyOperation, client: Client) =>
	(input?: Input, options?: CallOptions): unknown => {
		const result = call(client, operation, input, options)
		if (!((operation[1] ?? 0) & EVENT_STREAM)) return result
		return { ...result, [Symbol.asyncIterator]: () => readEventStream(client, operation, input, options) }
	}

export const Playhouse = class {
	constructor(options: ClientOptions) {
		const client = createClient(options)
		const bound = bindResources(resources as Tree, client)
		Object.assign(bound.assets as object, { waitUntilReady: waitUntilReady.bind(null, client) })
		Object.assign(bound.events as object, { consume: consumeEvents.bind(null, client) })
		Object.assign(bound.uploads as object, { send: sendFile.bind(null, client) })
		Object.assign(bound.webhooks as object, { unwrap: unwrapWebhook })
		Object.assign(this, bound, { client })
	}
} as unknown as new (
	options: ClientOptions,
) => Playhouse
