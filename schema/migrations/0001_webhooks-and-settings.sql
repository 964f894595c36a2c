CREATE TABLE `webhook_attempts` (
	`endpoint_id` text NOT NULL,
	`event_id` text NOT NULL,
	`number` integer NOT NULL,
	`org_id` text NOT NULL,
	`url` text NOT NULL,
	`payload` text NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`status` integer,
	`problem` text,
	`response_text` text,
	PRIMARY KEY(`endpoint_id`, `event_id`, `number`)
);
--> statement-breakpoint
CREATE INDEX `webhook_attempts_started` ON `webhook_attempts` (`started_at`);--> statement-breakpoint
CREATE INDEX `webhook_attempts_org` ON `webhook_attempts` (`org_id`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`endpoint_id` text NOT NULL,
	`event_id` text NOT NULL,
	`org_id` text NOT NULL,
	`sequence` integer NOT NULL,
	`type` text NOT NULL,
	`resource` text NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`lease_until` integer,
	`epoch` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`attempts_before` integer DEFAULT 0 NOT NULL,
	`last_status` integer,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`endpoint_id`, `event_id`)
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`endpoint_id`,`due_at`,`sequence`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_resource` ON `webhook_deliveries` (`endpoint_id`,`resource`,`sequence`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_leased` ON `webhook_deliveries` (`endpoint_id`,`lease_until`) WHERE lease_until is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_log` ON `webhook_deliveries` (`org_id`,`sequence`,`endpoint_id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_event` ON `webhook_deliveries` (`event_id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_created` ON `webhook_deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`url` text NOT NULL,
	`types` text,
	`payload` text NOT NULL,
	`ordering` text NOT NULL,
	`max_in_flight` integer NOT NULL,
	`status` text NOT NULL,
	`status_reason` text,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_secret_ends_at` integer,
	`planned_sequence` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer DEFAULT 0 NOT NULL,
	`failing_since` integer,
	`last_success_at` integer,
	`last_failure_at` integer,
	`last_test_at` integer DEFAULT 0 NOT NULL,
	`notices_sent` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_endpoints_default` ON `webhook_endpoints` (`org_id`) WHERE is_default = 1;--> statement-breakpoint
CREATE INDEX `webhook_endpoints_org` ON `webhook_endpoints` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_endpoints_failing` ON `webhook_endpoints` (`failing_since`) WHERE failing_since is not null;--> statement-breakpoint
ALTER TABLE `orgs` ADD `primary_color` text DEFAULT '#4f46e5' NOT NULL;--> statement-breakpoint
ALTER TABLE `orgs` ADD `theme` text DEFAULT 'dark' NOT NULL;--> statement-breakpoint
ALTER TABLE `orgs` ADD `logo_key` text;--> statement-breakpoint
ALTER TABLE `orgs` ADD `player_defaults` text DEFAULT '{"autoplay":false,"muted":false,"captions":false,"controls":true}' NOT NULL;--> statement-breakpoint
ALTER TABLE `orgs` ADD `allowed_embed_domains` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `outbox` ADD `sequence` integer;--> statement-breakpoint
ALTER TABLE `outbox` ADD `public_type` text;--> statement-breakpoint
ALTER TABLE `outbox` ADD `resource` text;--> statement-breakpoint
CREATE UNIQUE INDEX `outbox_public` ON `outbox` (`org_id`,`sequence`) WHERE sequence is not null;--> statement-breakpoint
ALTER TABLE `jobs` ADD `all_published_at` integer;