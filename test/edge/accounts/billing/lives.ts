import { DAY, HOUR, SECOND } from '../../../../edge/platform/clock.ts'
import type { World } from '../../../support/edge/world.ts'
import { billingActions } from './billing-world.ts'
import type { Life, Story } from './stories.ts'
import type { SentEvent } from './stripe-objects.ts'
import type { StripeStandIn } from './stripe-stand-in.ts'

/** What happens to an event on its way, in hours. */
export type Passage = {
	isLost: boolean
	delay: number
	/** How often it is sent, and how often the message that follows from it is delivered. */
	copies: number
	/** How long the answer of Stripe takes that the comparison waits for. */
	answerTakes: number
}
/** The passages of the events of a story, used again from the first if there are more events. */
export type Passages = readonly Passage[]

type End = { name: string; tier?: string | null; until?: number | null; status?: string | null }
export type Outcome = {
	stored: End
	expected: End
	/** How many subscriptions the customer pays for. */
	paying: number
}

type LivingCustomer = Life & {
	orgId: string
	story: Story
	passages: Passages
	seen: number
	hasLost: boolean
}
type Planned = { hour: number; act: () => Promise<unknown> }

let lives = 0
/** Events are delayed by more than this, so that some arrive after the next moment. */
const HOURS_BETWEEN_MOMENTS = 3

/**
 * Lives all stories at once, and returns for each what the Worker stored in the end and what it
 * should have stored. An account of which an event was lost is also compared as each night.
 */
export async function live(
	world: World,
	stripe: StripeStandIn,
	cases: readonly { story: Story; passages: Passages }[],
): Promise<Outcome[]> {
	const { send } = billingActions(world, stripe)
	const customers: LivingCustomer[] = []
	for (const { story, passages } of cases) customers.push(await openCustomer(world, stripe, story, passages))
	const planned: Planned[] = []
	const running: Promise<unknown>[] = []
	const gates = new Map<string, Promise<void>[]>()
	stripe.beforeList = async (customer) => gates.get(customer)?.shift()

	/** Delivers the messages that wait. The comparison of the last one gets its answer later. */
	function deliverWaiting(customer: LivingCustomer, hour: number, { copies, answerTakes }: Passage): void {
		for (const message of world.messages.splice(0))
			for (let copy = 0; copy < copies; copy++) {
				const gate = Promise.withResolvers<void>()
				gates.set(customer.customer, [...(gates.get(customer.customer) ?? []), gate.promise])
				if (answerTakes === 0) gate.resolve()
				else planned.push({ hour: hour + answerTakes, act: async () => gate.resolve() })
				running.push(world.deliver([message]))
			}
	}

	function plan(customer: LivingCustomer, event: SentEvent, hour: number, passage: Passage): void {
		if (passage.isLost) {
			customer.hasLost = true
			return
		}
		for (let copy = 0; copy < passage.copies; copy++) {
			const at = hour + passage.delay + copy
			planned.push({
				hour: at,
				act: async () => {
					await send(event)
					deliverWaiting(customer, at, passage)
				},
			})
		}
	}

	let planFrom = 0
	function planNewEvents(hour: number): void {
		for (const event of stripe.events.slice(planFrom)) {
			const { customer: named, id, object } = event.data.object as unknown as Record<string, string>
			const customer = customers.find((each) => each.customer === (object === 'customer' ? id : named))
			if (!customer) continue
			const passage = customer.passages[customer.seen++ % customer.passages.length]
			if (passage) plan(customer, event, hour, passage)
		}
		planFrom = stripe.events.length
	}

	planFrom = stripe.events.length
	const hours = HOURS_BETWEEN_MOMENTS * Math.max(...customers.map(({ story }) => story.moments.length))
	for (let hour = 0; hour < hours || planned.length > 0; hour++) {
		for (const customer of customers) customer.story.moments[hour / HOURS_BETWEEN_MOMENTS]?.(customer)
		planNewEvents(hour)
		for (const { act } of takeDue(planned, hour)) await act()
		// Comparisons may have cancelled a second subscription.
		await turn()
		planNewEvents(hour)
		world.pass(HOUR)
	}
	await Promise.all(running)
	await compareLost(world, stripe, customers)
	return Promise.all(
		customers.map(async (each) => ({ ...expected(stripe, each), ...(await stored(world, each)) })),
	)
}

/** Takes what is due, in an order that does not depend on when it was planned. */
function takeDue(planned: Planned[], hour: number): Planned[] {
	const due = planned.filter((each) => each.hour <= hour)
	planned.splice(0, planned.length, ...planned.filter((each) => each.hour > hour))
	return due
}

/** Lets comparisons whose answer has come go on. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 0))

async function compareLost(world: World, stripe: StripeStandIn, customers: readonly LivingCustomer[]) {
	stripe.beforeList = async () => undefined
	for (const { orgId, hasLost } of customers)
		if (hasLost) await world.deliver([{ type: 'billing.reconcile', orgId }])
}

async function openCustomer(
	world: World,
	stripe: StripeStandIn,
	story: Story,
	passages: Passages,
): Promise<LivingCustomer> {
	const orgId = `org_life${++lives}`
	const customer = stripe.addCustomer(orgId)
	await world.deps(({ db }) =>
		db.all(
			`insert into orgs (id, slug, name, tier, created_at, updated_at) values ('${orgId}', '${orgId}', 'Life', 'free', 1, 1) returning 1`,
		),
	)
	await world.deps(({ db }) =>
		db.all(
			`insert into billing_accounts (org_id, customer_id, reconcile_at, created_at) values ('${orgId}', '${customer}', 1, 1) returning 1`,
		),
	)
	return { stripe, customer, subscriptions: [], orgId, story, passages, seen: 0, hasLost: false }
}

async function stored(world: World, { orgId, story }: LivingCustomer) {
	const [row] = await world.deps(({ db }) =>
		db.all<{ tier: string | null; until: number | null; status: string | null }>(
			`select paid_tier as tier, paid_tier_until as until, status from orgs join billing_accounts on org_id = orgs.id where orgs.id = '${orgId}'`,
		),
	)
	return { stored: { name: story.name, ...row } }
}

function expected(stripe: StripeStandIn, { customer, story, subscriptions }: LivingCustomer) {
	const { tier, status, until } = story.ends
	const { periodEnd, cancelAt } = stripe.subscription(subscriptions.at(-1) ?? '')
	const invoices = [...stripe.invoices.values()].filter(
		(each) => each.customer === customer && each.status === 'open',
	)
	const limits = {
		period: periodEnd * SECOND + 14 * DAY,
		cancellation: (cancelAt ?? 0) * SECOND,
		grace: Math.min(...invoices.map(({ created }) => created)) * SECOND + 14 * DAY,
	}
	return {
		paying: stripe.payingSubscriptions(customer).length,
		expected: { name: story.name, tier, until: until ? limits[until] : null, status },
	}
}
