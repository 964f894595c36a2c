import type { Chooser } from '../../support/shared/random.ts'
import type { AnswerClock } from './answer-clock.ts'
import { agents } from './scripted-session.ts'
import type { SessionRecord } from './session-record.ts'

/** The Worker as players see it: `url` is null while it is down. `run` changes with each start. */
export type Service = { url: string | null; run: number; isUp: Promise<void> }

/** What the network does to a report. */
type Delivery = 'delivered' | 'lost' | 'unanswered' | 'doubled' | 'late'
/** A report that waits in the network while its player goes on. */
type Late = { record: SessionRecord; seq: number; body: string }

type Answer = {
	data: { accepted: number; sessions: { sessionId: string; token: string; nextBeatMs: number }[] }
}

/** Players that send scripted sessions over a bad network to a Worker that may be killed at any time. */
export class Players {
	readonly records: SessionRecord[] = []
	readonly unexpected: string[] = []
	requests = 0
	/** Reports that got no answer, because of a kill. */
	unanswered = 0
	readonly #service: Service
	readonly #clock: AnswerClock
	readonly #choose: Chooser
	readonly #pauseMs: number
	readonly #inFlight = new Set<Promise<unknown>>()
	readonly #late: Late[] = []

	constructor(service: Service, clock: AnswerClock, choose: Chooser, pauseMs: number) {
		this.#service = service
		this.#clock = clock
		this.#choose = choose
		this.#pauseMs = pauseMs
	}

	/** Plays a session to its end, or until its viewer vanishes. */
	async play(record: SessionRecord): Promise<void> {
		this.records.push(record)
		let token: string | undefined
		for (const [at] of record.script.reports.entries()) {
			const seq = at + 1
			const body = bodyOf(record, seq, token)
			const delivery = this.#drawDelivery()
			if (delivery === 'late') this.#late.push({ record, seq, body })
			else if (delivery !== 'lost') {
				const sent = [this.#send(record, seq, body)]
				if (delivery === 'doubled') sent.push(this.#send(record, seq, body))
				const [answer] = await Promise.all(sent)
				if (delivery !== 'unanswered') token = answer ?? token
			}
			if (this.#choose.chance(0.3)) await this.#deliverLate()
			await pause(this.#choose.random() * this.#pauseMs)
			// The next report comes after an interval, which is longer than the Worker needs to start.
			await this.#service.isUp
		}
	}

	/** Delivers what still waits in the network. */
	async deliverAll(): Promise<void> {
		while (this.#late.length > 0) await this.#deliverLate()
	}

	/** Waits until no request is on its way. */
	async settle(): Promise<void> {
		await Promise.all(this.#inFlight)
	}

	#drawDelivery(): Delivery {
		const draw = this.#choose.random()
		if (draw < 0.1) return 'lost'
		if (draw < 0.15) return 'unanswered'
		if (draw < 0.25) return 'doubled'
		return draw < 0.32 ? 'late' : 'delivered'
	}

	/** The order in which late reports arrive is random. */
	async #deliverLate(): Promise<void> {
		const [late] = this.#late.splice(this.#choose.below(this.#late.length), 1)
		if (late) await this.#send(late.record, late.seq, late.body)
	}

	/** Returns the token of the answer; undefined without one, after which a player says everything with its next report. */
	async #send(record: SessionRecord, seq: number, body: string): Promise<string | undefined> {
		const sending = this.#post(record, seq, body)
		this.#inFlight.add(sending)
		try {
			return await sending
		} finally {
			this.#inFlight.delete(sending)
		}
	}

	async #post(record: SessionRecord, seq: number, body: string): Promise<string | undefined> {
		const { url, run } = this.#service
		if (url === null) return undefined
		const { id, device, address } = record.script
		this.requests++
		record.sent = Math.max(record.sent, seq)
		let response: Response
		let answer: Answer
		try {
			response = await fetch(`${url}/v1/analytics/events`, {
				method: 'POST',
				body,
				headers: { 'content-type': 'text/plain', 'user-agent': agents[device], 'cf-connecting-ip': address },
			})
			answer = (await response.json()) as Answer
			this.#clock.noteAnswer()
		} catch (error) {
			this.unanswered++
			// While a Worker runs, every report gets an answer.
			if (this.#service.url === url) this.unexpected.push(`${id}: ${error}`)
			return undefined
		}
		if (response.status !== 202) {
			this.unexpected.push(`${id}: ${response.status} ${JSON.stringify(answer)}`)
			return undefined
		}
		// A session that is closed takes no more reports.
		if (answer.data.accepted === 0) return undefined
		record.acknowledge(seq, this.#clock.now)
		// What a killed Worker acknowledged counts only if it is on disk.
		if (this.#service.run === run && this.#service.url !== null) record.count(seq)
		return answer.data.sessions.find(({ sessionId }) => sessionId === id)?.token
	}
}

function bodyOf({ script }: SessionRecord, seq: number, token: string | undefined): string {
	const report = script.reports[seq - 1]
	const kind = report?.isEnd ? 'view_end' : seq === 1 ? 'view_start' : 'heartbeat'
	const { id: sessionId, video } = script
	const event = {
		kind,
		playbackId: video.playbackId,
		sessionId,
		state: report?.state,
		player: 'other',
		token,
	}
	return JSON.stringify({ events: [event] })
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
