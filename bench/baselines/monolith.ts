// What most teams would write: Express, zod and an interactive Prisma transaction, in one process.
import { PrismaPg } from "@prisma/adapter-pg";
import express from "express";
import { z } from "zod";
import { PrismaClient } from "../../services/payments/src/generated/prisma/client.ts";
import { findProject, toAnswer, toEvent, toFingerprint, toRow } from "./order.ts";

const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL, max: 10 }),
});

const PERIOD_MS = 12 * 60 * 60_000;

const bodySchema = z.object({
  amount: z.string(),
  chainId: z.number().int(),
  currency: z.string(),
  recipientAddress: z.string(),
  description: z.string().max(500).optional(),
});

const app = express();
app.use(express.json({ verify: (request, _, bytes) => Object.assign(request, { bytes }) }));
app.post("/v1/payments", async (request, response) => {
  const project = findProject(request.get("x-secret-key"));
  if (project === undefined) return void response.status(401).json({});
  const body = bodySchema.safeParse(request.body);
  const row = body.success ? toRow(project, body.data) : undefined;
  if (row === undefined) return void response.status(400).json({});
  const scope = `${project}:1:POST /v1/payments`;
  const key = request.get("idempotency-key") ?? "";
  const period = new Date(Math.floor(Date.now() / PERIOD_MS) * PERIOD_MS);
  const { bytes } = request as unknown as { bytes: Buffer };
  const fresh = await prisma.$transaction(
    async (tx) => {
      const known = await tx.idempotencyKey.findUnique({
        where: { scope_key_period: { scope, key, period } },
      });
      if (known !== null) return false;
      await tx.payment.create({ data: row });
      await tx.outbox.create({ data: toEvent(row) });
      const first = {
        scope,
        key,
        period,
        fingerprint: toFingerprint(bytes),
        response: Buffer.from(row.id),
      };
      await tx.idempotencyKey.create({ data: first as never });
      return true;
    },
    { maxWait: 10_000, timeout: 10_000 },
  );
  response
    .status(fresh ? 201 : 409)
    .type("application/json")
    .send(toAnswer(row));
});
app.listen(Number(process.env.PORT), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));
