//! Instructions of x86_64.

use super::body::{Body, CALLER, Displaced, PLACE, POPS, SHORT, TABLE, UNKNOWN};
use super::reference::{Reference, ReferenceKind};
use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register,
};
use iota_trace::patches::{ADDRESS, DISTANCE, Fixup};

const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
/// A jump over up to 2 GiB
const JUMP: usize = 5;
/// More entries than any table of jumps has
const MOST_ENTRIES: u64 = 1 << 16;

fn decoder(bytes: &[u8], address: u64) -> Decoder<'_> {
    Decoder::with_ip(64, bytes, address, DecoderOptions::NONE)
}

/// What the instructions refer to
pub fn references(address: u64, bytes: &[u8], keep: &mut impl FnMut(Reference)) {
    for instruction in decoder(bytes, address).iter() {
        let (to, way) = match instruction.flow_control() {
            FlowControl::Call => (instruction.near_branch_target(), ReferenceKind::Call),
            FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch => {
                (instruction.near_branch_target(), ReferenceKind::Jump)
            }
            _ if instruction.is_ip_rel_memory_operand() => {
                (instruction.ip_rel_memory_address(), ReferenceKind::Address)
            }
            _ => immediate(&instruction),
        };
        if to != 0 {
            let from = instruction.ip();
            keep(Reference { from, to, way });
        }
    }
}

/// An address as programs that are not position-independent have it
fn immediate(instruction: &Instruction) -> (u64, ReferenceKind) {
    let kinds = [
        OpKind::Immediate32,
        OpKind::Immediate32to64,
        OpKind::Immediate64,
    ];
    let mut operands = 0..instruction.op_count();
    let found = operands.find(|&n| kinds.contains(&instruction.op_kind(n)));
    (
        found.map_or(0, |n| instruction.immediate(n)),
        ReferenceKind::Address,
    )
}

/// What a jump at the function's beginning displaces
pub fn displace(body: &Body) -> Result<Displaced, &'static str> {
    let at = match body.bytes.starts_with(&ENDBR64) {
        true => ENDBR64.len(),
        false => 0,
    };
    let bytes = body.from(at);
    let mut writer = Writer::default();
    writer.code.extend(ENDBR64);
    let mut decoder = decoder(&bytes, body.entry + at as u64);
    while decoder.position() < JUMP {
        let start = decoder.position();
        let instruction = decoder.decode();
        let offset = decoder
            .get_constant_offsets(&instruction)
            .displacement_offset();
        if instruction.is_invalid() || start + at >= body.bytes.len() {
            return Err(SHORT);
        }
        let ends = writer.add(&instruction, &bytes[start..decoder.position()], offset)?;
        if ends && decoder.position() < JUMP {
            padding(&mut decoder)?;
        }
    }
    let end = at + decoder.position();
    if !writer.is_over {
        writer.jump(&[0xe9], body.entry + end as u64);
    }
    look_over(body, at + JUMP.max(decoder.position()))?;
    writer.finish(at, end)
}

/// What is behind the end of a short function is overwritten, too: nobody may come there.
fn padding(decoder: &mut Decoder) -> Result<(), &'static str> {
    while decoder.position() < JUMP {
        match decoder.decode().mnemonic() {
            Mnemonic::Nop | Mnemonic::Int3 => (),
            _ => return Err(SHORT),
        }
    }
    Ok(())
}

/// Displaced code
#[derive(Default)]
struct Writer {
    code: Vec<u8>,
    fixups: Vec<Fixup>,
    /// The address that a call in it pushes, and where the instruction that pushes it ends
    pushed: Option<(u64, usize)>,
    /// It goes nowhere behind what was written
    is_over: bool,
}

impl Writer {
    /// Adds one instruction; true if what is behind it belongs to no displaced code.
    fn add(
        &mut self,
        instruction: &Instruction,
        bytes: &[u8],
        displacement: usize,
    ) -> Result<bool, &'static str> {
        let target = instruction.near_branch_target();
        match (instruction.flow_control(), bytes) {
            (FlowControl::Next, _) => self.copy(instruction, bytes, displacement)?,
            (FlowControl::ConditionalBranch, [0x70..0x80, _]) => {
                self.jump(&[0x0f, bytes[0] + 0x10], target);
            }
            (FlowControl::ConditionalBranch, [0x0f, 0x80..0x90, ..]) => {
                self.jump(&bytes[..2], target);
            }
            (FlowControl::UnconditionalBranch, [0xe9 | 0xeb, ..]) => {
                self.jump(&[0xe9], target);
                self.is_over = true;
            }
            (FlowControl::Call, [0xe8, ..]) => {
                self.push(instruction.next_ip());
                self.jump(&[0xe9], target);
            }
            (FlowControl::IndirectCall, _) => self.call(instruction, bytes, displacement)?,
            (FlowControl::IndirectBranch | FlowControl::Return | FlowControl::Exception, _) => {
                self.copy(instruction, bytes, displacement)?;
                self.is_over = true;
            }
            _ => return Err(PLACE),
        }
        Ok(self.is_over)
    }

    fn copy(
        &mut self,
        instruction: &Instruction,
        bytes: &[u8],
        displacement: usize,
    ) -> Result<(), &'static str> {
        if instruction.is_ip_rel_memory_operand() {
            if instruction.memory_base() != Register::RIP {
                return Err(PLACE);
            }
            let start = self.code.len();
            self.fix(
                start + displacement,
                start + bytes.len(),
                instruction.ip_rel_memory_address(),
            );
        }
        self.code.extend(bytes);
        Ok(())
    }

    fn fix(&mut self, place: usize, from: usize, target: u64) {
        self.fixups.push(Fixup {
            place: place as u8,
            kind: DISTANCE,
            from: from as u8,
            target,
        });
    }

    /// A jump whose distance is 32 bits
    fn jump(&mut self, opcode: &[u8], target: u64) {
        self.code.extend(opcode);
        let place = self.code.len();
        self.fix(place, place + 4, target);
        self.code.extend([0; 4]);
    }

    /// A call returns to where it stood, as unwinders and functions that look at their caller expect.
    fn push(&mut self, address: u64) {
        self.code.extend([0xff, 0x35, 0, 0, 0, 0]);
        self.pushed = Some((address, self.code.len()));
        self.is_over = true;
    }

    /// `call *x` becomes `jmp *x`, behind what pushes the address.
    fn call(
        &mut self,
        instruction: &Instruction,
        bytes: &[u8],
        displacement: usize,
    ) -> Result<(), &'static str> {
        let is_near = matches!(instruction.code(), Code::Call_rm64);
        let opcode = bytes.iter().position(|&byte| byte == 0xff);
        let uses = [instruction.memory_base(), instruction.op0_register()];
        if !is_near || uses.contains(&Register::RSP) {
            return Err(PLACE);
        }
        let opcode = opcode.filter(|at| at + 1 < bytes.len()).ok_or(PLACE)?;
        let mut jump = bytes.to_vec();
        jump[opcode + 1] = jump[opcode + 1] & !0x38 | 0x20;
        self.push(instruction.next_ip());
        self.copy(instruction, &jump, displacement)
    }

    fn finish(mut self, at: usize, end: usize) -> Result<Displaced, &'static str> {
        if let Some((address, pushes)) = self.pushed {
            let place = self.code.len();
            let distance = (place - pushes) as i32;
            self.code[pushes - 4..pushes].copy_from_slice(&distance.to_le_bytes());
            self.code.extend([0; 8]);
            self.fixups.push(Fixup {
                place: place as u8,
                kind: ADDRESS,
                from: 0,
                target: address,
            });
        }
        Ok(Displaced {
            at,
            end,
            code: self.code,
            fixups: self.fixups,
        })
    }
}

/// What in the whole function speaks against a probe
fn look_over(body: &Body, end: usize) -> Result<(), &'static str> {
    let all: Vec<_> = decoder(body.bytes, body.entry).into_iter().collect();
    let mut frame = Frame::default();
    for instruction in &all {
        if instruction.is_invalid() {
            return Err(UNKNOWN);
        }
        match instruction.flow_control() {
            FlowControl::Return if instruction.op_count() > 0 => return Err(POPS),
            FlowControl::Return if instruction.mnemonic() != Mnemonic::Ret => return Err(POPS),
            _ if frame.looks_at_caller(instruction) => return Err(CALLER),
            _ => (),
        }
    }
    let jumps = |one: &Instruction| one.flow_control() == FlowControl::IndirectBranch;
    match all.iter().any(jumps) {
        true => tables(body, &all, body.entry + end as u64),
        false => Ok(()),
    }
}

/// How far the stack has grown, as long as that is known
struct Frame {
    depth: Option<u64>,
    has_pointer: bool,
}

impl Default for Frame {
    fn default() -> Frame {
        Frame {
            depth: Some(0),
            has_pointer: false,
        }
    }
}

impl Frame {
    /// Whether it reads the address that the function returns to
    fn looks_at_caller(&mut self, one: &Instruction) -> bool {
        let operand = match one.mnemonic() {
            Mnemonic::Mov => 1,
            Mnemonic::Push => 0,
            _ => u32::MAX,
        };
        let has_memory = operand < one.op_count() && one.op_kind(operand) == OpKind::Memory;
        let reads = has_memory && one.memory_index() == Register::None;
        let at = one.memory_displacement64();
        let found = match one.memory_base() {
            Register::RSP => reads && Some(at) == self.depth,
            Register::RBP => reads && self.has_pointer && at == 8,
            _ => false,
        };
        self.follow(one);
        found
    }

    fn follow(&mut self, one: &Instruction) {
        let grows = match one.code() {
            Code::Mov_r64_rm64 | Code::Mov_rm64_r64
                if one.op0_register() == Register::RBP && one.op1_register() == Register::RSP =>
            {
                self.has_pointer = self.depth == Some(8);
                Some(0)
            }
            Code::Sub_rm64_imm8 | Code::Sub_rm64_imm32 if one.op0_register() == Register::RSP => {
                Some(one.immediate(1))
            }
            _ if one.flow_control() != FlowControl::Next => None,
            _ if one.stack_pointer_increment() > 0 => None,
            _ if one.op0_register() == Register::RSP => None,
            _ => Some(one.stack_pointer_increment().unsigned_abs().into()),
        };
        self.depth = self.depth.zip(grows).map(|(depth, grows)| depth + grows);
    }
}

/// Tables that the function may take the aims of its jumps from
fn tables(body: &Body, all: &[Instruction], end: u64) -> Result<(), &'static str> {
    let leads_inside = |aims: &[u64]| aims.iter().any(|aim| (body.entry..end).contains(aim));
    for one in all {
        let has_base = one.memory_base() != Register::None;
        let is_indexed = one.memory_index() != Register::None;
        let aims = match () {
            () if one.mnemonic() == Mnemonic::Lea && one.is_ip_rel_memory_operand() => {
                distances(body, one.ip_rel_memory_address())
            }
            () if is_indexed && !has_base => addresses(body, one.memory_displacement64()),
            () => continue,
        };
        if leads_inside(&aims) {
            return Err(TABLE);
        }
    }
    Ok(())
}

/// Of a table of distances from itself
fn distances(body: &Body, table: u64) -> Vec<u64> {
    let entry = |n: u64| {
        let bytes = body
            .image
            .data_at(table.wrapping_add(4 * n), 4)?
            .first_chunk()?;
        let aim = table.wrapping_add_signed(i32::from_le_bytes(*bytes).into());
        body.image.is_code(aim).then_some(aim)
    };
    (0..MOST_ENTRIES).map_while(entry).collect()
}

/// Of a table of addresses
fn addresses(body: &Body, table: u64) -> Vec<u64> {
    let entry = |n: u64| {
        let bytes = body
            .image
            .data_at(table.wrapping_add(8 * n), 8)?
            .first_chunk()?;
        let aim = u64::from_le_bytes(*bytes);
        body.image.is_code(aim).then_some(aim)
    };
    (0..MOST_ENTRIES).map_while(entry).collect()
}
