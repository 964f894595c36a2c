import type { PaidTier } from '#schema/contract/accounts/billing.ts'
import { DAY, SECOND } from '../../../../edge/platform/clock.ts'
import {
	type KeptInvoice,
	type KeptSession,
	type KeptSubscription,
	type SentEvent,
	stripeCheckoutSession,
	stripeCustomer,
	stripeEvent,
	stripeInvoice,
	stripePrice,
	stripeSubscription,
} from './stripe-objects.ts'

export const SECRET_KEY = 'sk_test_0123456789abcdef'
export const WEBHOOK_SECRET = 'whsec_0123456789abcdef'
export const MONTH_SECONDS = (30 * DAY) / SECOND

type Handler = (id: string, form: URLSearchParams) => unknown
class Refusal extends Error {
	readonly status: number
	readonly code: string
	constructor(status: number, code: string) {
		super(code)
		this.status = status
		this.code = code
	}
}
const missing = () => new Refusal(404, 'resource_missing')
const list = (data: readonly unknown[]) => ({ object: 'list', has_more: false, data })

/**
 * Stands in for Stripe behind the official SDK: the few routes that billing uses, over objects that the types of the SDK
 * check. Tests act as the customer and as Stripe's clock.
 */
export class StripeStandIn {
	readonly customers = new Map<string, { metadata: Record<string, string>; deleted: boolean }>()
	readonly subscriptions = new Map<string, KeptSubscription>()
	readonly invoices = new Map<string, KeptInvoice>()
	readonly sessions = new Map<string, KeptSession>()
	/** The minutes of each customer, meter and day. The last value of a day counts. */
	readonly meters = new Map<string, number>()
	/** Subscriptions of which the unused time was credited when they were cancelled. */
	readonly credited: string[] = []
	/** `METHOD path` of each request. */
	readonly requests: string[] = []
	/** Every event, in the order in which it happened. */
	readonly events: SentEvent[] = []
	/** Lookup keys of prices that are for sale. */
	prices = ['pro_month', 'pro_year', 'business_month', 'business_year'].map((name) => `playhouse_${name}`)
	isDown = false
	hasMeters = true
	/** Stripe offers no search in some countries. */
	hasSearch = true
	/** Runs after the subscriptions of a customer were read, and before they are sent. */
	beforeList: (customerId: string) => Promise<void> = async () => undefined
	/** Runs before a session is created. */
	beforeSession: () => Promise<void> = async () => undefined
	readonly #clock: () => number
	readonly #answers = new Map<string, { form: string; answer: Promise<unknown> }>()
	#ids = 0

	constructor(clock: () => number) {
		this.#clock = clock
	}

	get seconds(): number {
		return Math.floor(this.#clock() / SECOND)
	}

	readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
		const { pathname, search, host } = new URL(url)
		const method = init.method ?? 'GET'
		this.requests.push(`${method} ${pathname}`)
		const headers = new Headers(init.headers)
		if (host !== 'api.stripe.com' || headers.get('authorization') !== `Bearer ${SECRET_KEY}`)
			return new Response('no', { status: 401 })
		if (this.isDown) return new Response('down', { status: 503 })
		const form = new URLSearchParams(method === 'POST' ? String(init.body ?? '') : search)
		const key = headers.get('idempotency-key')
		try {
			const known = key && this.#answers.get(key)
			if (known && known.form !== form.toString()) throw new Refusal(400, 'idempotency_key_in_use')
			const answer = known ? known.answer : this.#answer(method, pathname, form)
			if (key) this.#answers.set(key, { form: form.toString(), answer })
			return Response.json(await answer)
		} catch (error) {
			if (!(error instanceof Refusal)) throw error
			const { status, code } = error
			return Response.json({ error: { type: 'invalid_request_error', code, message: code } }, { status })
		}
	}

	async #answer(method: string, path: string, form: URLSearchParams): Promise<unknown> {
		const routes: [string, RegExp, Handler][] = [
			['POST', /^\/v1\/customers$/, () => this.#createCustomer(form)],
			['GET', /^\/v1\/customers\/search$/, () => this.#searchCustomers(form)],
			['GET', /^\/v1\/customers\/(\w+)$/, (id) => this.#readCustomer(id)],
			['GET', /^\/v1\/subscriptions$/, () => this.#listSubscriptions(form)],
			['DELETE', /^\/v1\/subscriptions\/(\w+)$/, (id) => this.#cancel(id, form)],
			['GET', /^\/v1\/invoices$/, () => this.#listInvoices(form)],
			['GET', /^\/v1\/prices$/, () => this.#listPrices(form)],
			['GET', /^\/v1\/checkout\/sessions$/, () => this.#listSessions(form)],
			['POST', /^\/v1\/checkout\/sessions$/, () => this.#createSession(form)],
			['GET', /^\/v1\/checkout\/sessions\/(\w+)$/, (id) => stripeCheckoutSession(this.session(id))],
			['POST', /^\/v1\/checkout\/sessions\/(\w+)\/expire$/, (id) => this.#expire(id)],
			['POST', /^\/v1\/billing_portal\/sessions$/, () => this.#createPortal(form)],
			['POST', /^\/v1\/billing\/meter_events$/, () => this.#recordUsage(form)],
		]
		for (const [verb, pattern, handle] of routes) {
			const found = verb === method && pattern.exec(path)
			if (found) return handle(found[1] ?? '', form)
		}
		throw new Refusal(404, 'unknown_route')
	}

	#id = (prefix: string): string => `${prefix}_${String(++this.#ids).padStart(8, '0')}`

	#createCustomer(form: URLSearchParams) {
		const id = this.addCustomer(form.get('metadata[playhouse_org]') ?? '')
		return stripeCustomer(id, this.customers.get(id)?.metadata ?? {})
	}

	/** Finds deleted customers too, since the search of Stripe is late. */
	#searchCustomers(form: URLSearchParams) {
		if (!this.hasSearch) throw new Refusal(400, 'search_not_available')
		const wanted = /^metadata\['playhouse_org'\]:'(\w+)'$/.exec(form.get('query') ?? '')?.[1]
		const found = [...this.customers].filter(([, { metadata }]) => metadata.playhouse_org === wanted)
		return list(found.map(([id, { metadata }]) => stripeCustomer(id, metadata)))
	}

	/** Idempotency keys are forgotten after a day. */
	forgetKeys(): void {
		this.#answers.clear()
	}

	addCustomer(orgId: string): string {
		const id = this.#id('cus')
		this.customers.set(id, { metadata: { playhouse_org: orgId }, deleted: false })
		return id
	}

	#readCustomer(id: string) {
		const customer = this.customers.get(id)
		if (!customer) throw missing()
		return customer.deleted
			? { id, object: 'customer', deleted: true }
			: stripeCustomer(id, customer.metadata)
	}

	#known(form: URLSearchParams): string {
		const id = form.get('customer') ?? ''
		if (!this.customers.has(id)) throw missing()
		return id
	}

	async #listSubscriptions(form: URLSearchParams) {
		const customer = this.#known(form)
		const found = [...this.subscriptions.values()].filter((each) => each.customer === customer)
		const answer = list(found.map(stripeSubscription))
		await this.beforeList(customer)
		return answer
	}

	#listInvoices(form: URLSearchParams) {
		const [customer, status] = [this.#known(form), form.get('status')]
		const found = [...this.invoices.values()].filter(
			(each) => each.customer === customer && each.status === status,
		)
		return list(found.map(stripeInvoice))
	}

	#listPrices(form: URLSearchParams) {
		const wanted = [...form].filter(([name]) => name.startsWith('lookup_keys')).map(([, key]) => key)
		const found = this.prices.filter((key) => wanted.includes(key))
		return list(
			found.map((lookupKey) =>
				stripePrice({ lookupKey, interval: lookupKey.endsWith('year') ? 'year' : 'month' }),
			),
		)
	}

	#listSessions(form: URLSearchParams) {
		const customer = this.#known(form)
		const found = [...this.sessions.values()].filter(
			(each) => each.customer === customer && each.status === form.get('status'),
		)
		return list(found.map(stripeCheckoutSession))
	}

	async #createSession(form: URLSearchParams) {
		const customer = this.#known(form)
		if (this.customers.get(customer)?.deleted) throw missing()
		await this.beforeSession()
		const lookupKey = form.get('line_items[0][price]')?.replace('price_', '') ?? ''
		const trial = form.get('subscription_data[trial_period_days]')
		const session: KeptSession = {
			id: this.#id('cs'),
			customer,
			status: 'open',
			price: { lookupKey, interval: lookupKey.endsWith('year') ? 'year' : 'month' },
			trialDays: trial === null ? null : Number(trial),
			metadata: { playhouse_tier: form.get('subscription_data[metadata][playhouse_tier]') ?? '' },
			lines: [...form.keys()].filter((name) => /^line_items\[\d\]\[price\]$/.test(name)).length,
		}
		this.sessions.set(session.id, session)
		return stripeCheckoutSession(session)
	}

	session(id: string): KeptSession {
		const session = this.sessions.get(id)
		if (!session) throw missing()
		return session
	}

	#expire(id: string) {
		const session = this.session(id)
		if (session.status !== 'open') throw new Refusal(400, 'session_not_open')
		session.status = 'expired'
		this.emit('checkout.session.expired', stripeCheckoutSession(session))
		return stripeCheckoutSession(session)
	}

	#createPortal(form: URLSearchParams) {
		const customer = this.#known(form)
		return {
			id: this.#id('bps'),
			object: 'billing_portal.session',
			url: `https://billing.stripe.example/${customer}?return=${encodeURIComponent(form.get('return_url') ?? '')}`,
		}
	}

	#recordUsage(form: URLSearchParams) {
		if (!this.hasMeters) throw missing()
		const day = Math.floor(Number(form.get('timestamp')) / 86_400)
		const customer = form.get('payload[stripe_customer_id]')
		const name = form.get('event_name')
		this.meters.set(`${customer} ${name} ${day}`, Number(form.get('payload[value]')))
		return { object: 'billing.meter_event', event_name: name }
	}

	#cancel(id: string, form = new URLSearchParams()) {
		if (!this.subscriptions.has(id)) throw missing()
		if (form.get('prorate') === 'true') this.credited.push(id)
		this.update(id, { status: 'canceled' }, 'customer.subscription.deleted')
		return stripeSubscription(this.subscription(id))
	}

	subscription(id: string): KeptSubscription {
		const found = this.subscriptions.get(id)
		if (!found) throw missing()
		return found
	}

	emit(type: string, object: object): SentEvent {
		const event = stripeEvent(this.#id('evt'), type, object, this.seconds)
		this.events.push(event)
		return event
	}

	/** Subscribes a customer, as a completed checkout or the operator does. */
	subscribe(
		customer: string,
		tier: PaidTier,
		more: Partial<Pick<KeptSubscription, 'status' | 'price' | 'metadata'>> = {},
	): string {
		const id = this.#id('sub')
		const subscription: KeptSubscription = {
			id,
			customer,
			status: 'active',
			created: this.seconds,
			periodStart: this.seconds,
			periodEnd: this.seconds + MONTH_SECONDS,
			cancelAt: null,
			price: { lookupKey: `playhouse_${tier}_month`, interval: 'month' },
			metadata: {},
			...more,
		}
		this.subscriptions.set(id, subscription)
		this.emit('customer.subscription.created', stripeSubscription(subscription))
		return id
	}

	update(id: string, change: Partial<KeptSubscription>, type = 'customer.subscription.updated'): void {
		const changed = { ...this.subscription(id), ...change }
		this.subscriptions.set(id, changed)
		this.emit(type, stripeSubscription(changed))
	}

	/** The renewal of a subscription could not be charged. */
	failPayment(id: string): void {
		const { customer } = this.subscription(id)
		const invoice = {
			...{ id: this.#id('in'), customer, subscription: id },
			...{ created: this.seconds, status: 'open' as const },
		}
		this.invoices.set(invoice.id, invoice)
		this.emit('invoice.payment_failed', stripeInvoice(invoice))
		this.update(id, {
			status: 'past_due',
			periodStart: this.seconds,
			periodEnd: this.seconds + MONTH_SECONDS,
		})
	}

	/** Every open invoice of a subscription is paid. */
	payInvoices(id: string): void {
		for (const invoice of this.invoices.values())
			if (invoice.subscription === id && invoice.status === 'open') {
				invoice.status = 'paid'
				this.emit('invoice.paid', stripeInvoice(invoice))
			}
		this.update(id, { status: 'active' })
	}

	/** The customer pays an open session. Returns the id of the subscription, or null if the session can't be paid. */
	paySession(id: string): string | null {
		const session = this.session(id)
		if (session.status !== 'open') return null
		session.status = 'complete'
		this.emit('checkout.session.completed', stripeCheckoutSession(session))
		const { customer, price, metadata, trialDays } = session
		const status = trialDays === null ? 'active' : 'trialing'
		return this.subscribe(customer, 'pro', { price, metadata, status })
	}

	deleteCustomer(id: string): void {
		const customer = this.customers.get(id)
		if (!customer) throw missing()
		customer.deleted = true
		for (const { id: subscription, customer: owner, status } of [...this.subscriptions.values()])
			if (owner === id && status !== 'canceled') this.#cancel(subscription)
		this.emit('customer.deleted', stripeCustomer(id, customer.metadata))
	}

	/** The subscriptions for which a customer pays or that are free for now. */
	payingSubscriptions(customer: string): KeptSubscription[] {
		return [...this.subscriptions.values()].filter(
			(each) => each.customer === customer && ['active', 'trialing', 'past_due'].includes(each.status),
		)
	}
}
