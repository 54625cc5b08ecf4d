CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"last_four" text NOT NULL,
	"created_at" bigint NOT NULL,
	"deactivated_at" bigint,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" text PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL,
	"actor" text,
	"act" text NOT NULL,
	"user_id" text,
	"email" text NOT NULL,
	"detail" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identities" (
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" bigint NOT NULL,
	"email" text NOT NULL,
	"account" text NOT NULL,
	CONSTRAINT "identities_issuer_subject_pk" PRIMARY KEY("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "moved_tables" (
	"table_name" text PRIMARY KEY NOT NULL,
	"move_id" text NOT NULL,
	"rows" bigint NOT NULL,
	"last_key" text,
	"checksum" text
);
--> statement-breakpoint
CREATE TABLE "probe" (
	"id" integer PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "removed_identities" (
	"user_id" text NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	CONSTRAINT "removed_identities_user_id_issuer_subject_pk" PRIMARY KEY("user_id","issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "results" (
	"key_hash" text PRIMARY KEY NOT NULL,
	"json" text NOT NULL,
	"details" text,
	"stored_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"id" text NOT NULL,
	"user_agent" text NOT NULL,
	"last_seen_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tickets" (
	"hash" text PRIMARY KEY NOT NULL,
	"payload" text NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"plan" text NOT NULL,
	"created_at" bigint NOT NULL,
	"name" text,
	"search_text" text NOT NULL,
	"suspended_at" bigint,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "daily_usage" (
	"user_id" text NOT NULL,
	"key_id" text NOT NULL,
	"day" text NOT NULL,
	"answers" bigint NOT NULL,
	"cache_hits" bigint NOT NULL,
	"failures" bigint NOT NULL,
	"last_used_at" bigint NOT NULL,
	CONSTRAINT "daily_usage_user_id_key_id_day_pk" PRIMARY KEY("user_id","key_id","day")
);
--> statement-breakpoint
CREATE TABLE "deleted_account_usage" (
	"person_hash" text NOT NULL,
	"month" text NOT NULL,
	"used" bigint NOT NULL,
	CONSTRAINT "deleted_account_usage_person_hash_month_pk" PRIMARY KEY("person_hash","month")
);
--> statement-breakpoint
CREATE TABLE "metering_processes" (
	"id" text PRIMARY KEY NOT NULL,
	"batch" bigint NOT NULL,
	"effect" text,
	"leased_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "monthly_usage" (
	"user_id" text NOT NULL,
	"month" text NOT NULL,
	"used" bigint NOT NULL,
	CONSTRAINT "monthly_usage_user_id_month_pk" PRIMARY KEY("user_id","month"),
	CONSTRAINT "monthly_usage_not_negative" CHECK ("monthly_usage"."used" >= 0)
);
--> statement-breakpoint
CREATE TABLE "usage_reservations" (
	"process_id" text NOT NULL,
	"user_id" text NOT NULL,
	"month" text NOT NULL,
	"open" integer NOT NULL,
	CONSTRAINT "usage_reservations_process_id_user_id_month_pk" PRIMARY KEY("process_id","user_id","month")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "removed_identities" ADD CONSTRAINT "removed_identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_user" ON "api_keys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "api_keys_deactivated" ON "api_keys" USING btree ("deactivated_at");--> statement-breakpoint
CREATE INDEX "audit_log_at" ON "audit_log" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_log_user" ON "audit_log" USING btree ("user_id","at");--> statement-breakpoint
CREATE INDEX "identities_user" ON "identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "results_age" ON "results" USING btree ("stored_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_id" ON "sessions" USING btree ("id");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "tickets_expiry" ON "tickets" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "users_age" ON "users" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "daily_usage_day" ON "daily_usage" USING btree ("day");--> statement-breakpoint
CREATE INDEX "deleted_account_usage_month" ON "deleted_account_usage" USING btree ("month");--> statement-breakpoint
CREATE INDEX "metering_processes_lease" ON "metering_processes" USING btree ("leased_until");--> statement-breakpoint
CREATE INDEX "usage_reservations_user" ON "usage_reservations" USING btree ("user_id");